/** Finds the steps that are about a path, and those of a process and its children, in a long recording. */
import type { Pid } from '../../linux/ids.ts';
import type { Step } from '../detect/step.ts';
import type { Timeline } from '../detect/timeline.ts';

/** A log that a million processes write to has shown what it is long before. */
const MOST_STEPS = 5000;

export class StepIndex {
  static readonly #known = new WeakMap<Timeline, StepIndex>();
  readonly #byPath = new Map<string, Step[]>();
  readonly #byProcess = new Map<Pid, Step[]>();
  readonly #children = new Map<Pid, Pid[]>();

  static of(timeline: Timeline): StepIndex {
    const index = StepIndex.#known.get(timeline) ?? new StepIndex(timeline);
    StepIndex.#known.set(timeline, index);
    return index;
  }

  private constructor({ steps }: Timeline) {
    for (const step of steps) {
      const { name, name2, process, record } = step;
      if (name !== undefined) add(this.#byPath, name, step);
      if (name2 !== undefined && name2 !== name) add(this.#byPath, name2, step);
      add(this.#byProcess, process, step);
      if (record.kind === 'start') add(this.#children, process, record.pid);
    }
  }

  onPath(path: string): readonly Step[] {
    return this.#byPath.get(path) ?? [];
  }

  ofProcesses(processes: readonly Pid[]): Step[] {
    const steps = processes.flatMap((process) => this.#byProcess.get(process) ?? []);
    return steps.sort((a, b) => a.event - b.event);
  }

  withDescendants(root: Pid): Pid[] {
    const found = new Set([root]);
    for (const process of found) {
      for (const child of this.#children.get(process) ?? []) found.add(child);
    }
    return [...found];
  }
}

function add<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (!known) map.set(key, [value]);
  else if (known.length < MOST_STEPS) known.push(value);
}
