/**
 * The happens-before graph around a race: how the racing processes came to be, what they last learned
 * from others before, and who waited for them afterwards.
 *
 *   sh forks cat, sh forks sh, cat reads ‖ sh writes, both are waited for
 */
import type { Pid } from '../../linux/ids.ts';
import type { EventId } from '../../order/ids.ts';
import type { DetectedRace } from './race.ts';
import type { Step } from './step.ts';
import type { Timeline } from './timeline.ts';

export interface Surroundings {
  steps: Step[];
  /** For each of them, the indexes of those that it comes after by more than program order. */
  after: number[][];
}

const MOST_SOURCES = 2;
/** Of a long line of ancestors, the youngest forks and the oldest are told. */
const MOST_FORKS = 6;

export class SurroundingsFinder {
  readonly #timeline: Timeline;
  readonly #forks = new Map<Pid, Step[]>();
  readonly #collectors = new Map<Pid, Step[]>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    for (const step of timeline.steps) {
      const { record } = step;
      if (record.kind === 'start') push(this.#forks, record.pid, step);
      else if (record.kind === 'call' && record.reaped) push(this.#collectors, record.reaped, step);
    }
  }

  around({ parts }: DetectedRace): Surroundings {
    const racing = parts.map(({ step }) => step);
    const included = new Map<EventId, Step>();
    const include = (step: Step | undefined): void => {
      if (step) included.set(step.event, step);
    };
    for (const step of racing) {
      include(step);
      for (const fork of this.#lineage(step, racing)) include(fork);
      for (const source of this.#lastLearned(step)) include(source);
      for (const later of this.#end(step)) include(later);
    }
    const steps = [...included.values()].sort((a, b) => a.event - b.event);
    return { steps, after: steps.map((step) => this.#after(step, steps)) };
  }

  /** The forks that lead from the common ancestor of the racing processes to this one. */
  #lineage(step: Step, racing: readonly Step[]): Step[] {
    const others = racing.map((one) => this.#ancestors(one));
    const forks: Step[] = [];
    for (let fork = this.#forkOf(step); fork; fork = this.#forkOf(fork)) {
      const { process } = fork;
      forks.push(fork);
      if (others.every((ancestors) => ancestors.has(process))) break;
    }
    return forks.length > MOST_FORKS ? [...forks.slice(0, MOST_FORKS - 1), forks.at(-1)!] : forks;
  }

  #ancestors(step: Step): Set<Pid> {
    const ancestors = new Set([step.process]);
    for (let fork = this.#forkOf(step); fork; fork = this.#forkOf(fork)) {
      if (ancestors.has(fork.process)) break;
      ancestors.add(fork.process);
    }
    return ancestors;
  }

  /** Where this process last heard from another one, and from whom. */
  #lastLearned({ event }: Step): Step[] {
    const { graph, steps } = this.#timeline;
    const listener = graph.lastListener(event);
    if (listener === undefined) return [];
    const sources = graph.edgesInto(listener).slice(0, MOST_SOURCES);
    const isBirth = sources.every((source) => steps[source]?.record.kind === 'start');
    return isBirth ? [] : [listener, ...sources].flatMap((one) => steps[one] ?? []);
  }

  /** The process's end, and the wait that collected it. */
  #end(step: Step): Step[] {
    const collector = firstAfter(this.#collectors.get(step.process), step.event);
    if (!collector) return [];
    const [end] = this.#timeline.graph.edgesInto(collector.event);
    const exit = end === undefined ? undefined : this.#timeline.steps[end];
    return exit && exit.process === step.process ? [exit, collector] : [];
  }

  #after(step: Step, steps: readonly Step[]): number[] {
    const sources = new Set<EventId>(this.#timeline.graph.edgesInto(step.event));
    const isFirst = steps.find(({ process }) => process === step.process) === step;
    const fork = isFirst ? this.#forkOf(step) : undefined;
    if (fork) sources.add(fork.event);
    return steps.flatMap(({ event, process }, index) =>
      sources.has(event) && process !== step.process ? [index] : [],
    );
  }

  #forkOf({ process, event }: Step): Step | undefined {
    return this.#forks.get(process)?.findLast((fork) => fork.event < event);
  }
}

function push(map: Map<Pid, Step[]>, key: Pid, step: Step): void {
  const list = map.get(key);
  if (list) list.push(step);
  else map.set(key, [step]);
}

const firstAfter = (steps: readonly Step[] | undefined, event: EventId): Step | undefined =>
  steps?.find((step) => step.event > event);
