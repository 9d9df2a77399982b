/**
 * What stands around a race, as patterns want to know it: the process that started both sides, and
 * for each side all that was done on its behalf.
 *
 *   make ─┬─ sh ── mkdir obj          one side: this sh with all its children
 *         └─ sh ── cc1, as            the other side
 *
 * A side that is itself the ancestor of the other one is only that process.
 */
import type { Pid } from '../../linux/ids.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { shownPath } from '../detect/describe-step.ts';
import type { DetectedRace, Participant } from '../detect/race.ts';
import { beginningOf, type Step } from '../detect/step.ts';
import type { Life, Program } from '../detect/task-history.ts';
import type { Timeline } from '../detect/timeline.ts';
import { StepIndex } from './step-index.ts';

export interface Side extends Participant {
  /** Where it branches off from the other one; absent if it is the other's ancestor. */
  readonly branch: Life | undefined;
}

export class Scene {
  readonly race: DetectedRace;
  readonly timeline: Timeline;
  /** In the order in which they happened. */
  readonly sides: readonly [Side, Side];
  /** The process that started both sides, or is one of them. */
  readonly ancestor: Life | undefined;
  readonly #folder: string;
  readonly #index: StepIndex;

  /** Of a race of two steps. */
  constructor(race: DetectedRace, timeline: Timeline, folder: string) {
    this.race = race;
    this.timeline = timeline;
    this.#folder = folder;
    this.#index = StepIndex.of(timeline);
    const parts = race.parts.slice(0, 2) as [Participant, Participant];
    const lines = parts.map(({ step }) => this.#lineage(step));
    this.ancestor = lines[0]!.find((life) => lines[1]!.includes(life));
    const branchOf = (line: Life[] = []): Life | undefined =>
      this.ancestor && line[line.indexOf(this.ancestor) - 1];
    const [first, second] = parts;
    this.sides = [
      { ...first, branch: branchOf(lines[0]) },
      { ...second, branch: branchOf(lines[1]) },
    ];
  }

  /** What of all that was done to a path was done by this side, in order. */
  doneTo(path: string, side: Side): Step[] {
    return this.#index.onPath(path).filter((step) => this.isOf(side, step));
  }

  doneBy(side: Side): Step[] {
    const root = (side.branch?.pid ?? side.step.process) as Pid;
    const processes = side.branch ? this.#index.withDescendants(root) : [root];
    return this.#index.ofProcesses(processes).filter((step) => this.isOf(side, step));
  }

  isOf(side: Side, step: Step): boolean {
    if (!side.branch) return step.process === side.step.process;
    return this.#lineage(step).includes(side.branch);
  }

  /** What the ancestor ran when it started the sides. */
  get ancestorProgram(): Program | undefined {
    const [from] = this.sides.flatMap(({ branch }) => branch?.from ?? []);
    if (!this.ancestor || from === undefined) return undefined;
    return this.timeline.tasks.programAt(this.ancestor.tid, from);
  }

  program({ task, ...step }: Step): Program {
    return this.timeline.tasks.programAt(task, beginningOf({ task, ...step }));
  }

  shown(path: string): string {
    return shownPath(path, this.#folder);
  }

  isInFolder(path: string): boolean {
    return path.startsWith('/') && !this.shown(path).startsWith('/');
  }

  /** From the step's own task up to the first one. */
  #lineage(step: Step): Life[] {
    const { tasks } = this.timeline;
    const lives: Life[] = [];
    let life = tasks.lifeAt(step.task, beginningOf(step));
    while (life && !lives.includes(life)) {
      lives.push(life);
      life = life.parent === undefined ? undefined : tasks.lifeAt(life.parent, life.from);
    }
    return lives;
  }
}

/** The name of the system call, or nothing for what is none. */
export const callName = ({ record }: Step): string =>
  record.kind === 'call' ? syscallName(record.number) : '';

export const resultOf = ({ record }: Step): number => (record.kind === 'call' ? record.result : 0);
