/**
 * Whether it can matter which child a wait has taken first. It cannot, if the waiting process does
 * nothing that others could see before it has taken the other one too; nor, as far as can be told,
 * if both children ran programs of their own and ended alike.
 */
import { firstIndex } from '../../../base/bisect.ts';
import type { Pid } from '../../../linux/ids.ts';
import { endOf, type Step } from '../step.ts';
import type { Timeline } from '../timeline.ts';
import type { AmbiguousWait } from './event.ts';

export class Consequences {
  readonly #timeline: Timeline;
  /** For each process, the events in which it did something that others can see. */
  readonly #deeds = new Map<Pid, number[]>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    for (const step of timeline.steps) {
      if (!isDeed(step)) continue;
      const deeds = this.#deeds.get(step.process);
      if (deeds) deeds.push(step.event);
      else this.#deeds.set(step.process, [step.event]);
    }
  }

  /** Why there is none; undefined if there may be one. */
  missing({ wait, taken, other, next }: AmbiguousWait): string | undefined {
    const deeds = this.#deeds.get(wait.step.process) ?? [];
    const after = deeds[firstIndex(deeds, (event) => event > wait.step.event)];
    const isUntilNext = next?.step.process === wait.step.process ? next.step.event : Infinity;
    if (after === undefined || after > isUntilNext) {
      return 'the waiting process does nothing else before it has collected both';
    }
    const areAlike = statusOf(taken) === statusOf(other);
    if (areAlike && this.#ranProgram(taken) && this.#ranProgram(other)) {
      return 'both children ran programs of their own and ended alike';
    }
    return undefined;
  }

  #ranProgram(end: Step): boolean {
    const life = this.#timeline.tasks.lifeAt(end.process as number as Step['task'], endOf(end));
    return (life?.programs.length ?? 0) > 1;
  }
}

function isDeed({ record, operations }: Step): boolean {
  if (record.kind === 'start') return true;
  if (record.kind !== 'call' || record.reaped) return false;
  return operations.some(({ op }) => op === 'store');
}

const statusOf = ({ record }: Step): number => (record.kind === 'exit' ? record.status : 0);
