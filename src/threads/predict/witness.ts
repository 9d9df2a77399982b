/**
 * How to get to a race: the synchronisation steps that lead there, and no others; then both threads stand
 * before their accesses at once.
 *
 *   main    fork worker         main.c:30          then  main    write counter   main.c:33
 *   worker  acquire m           queue.c:14               worker  read counter    queue.c:19
 *   worker  release m           queue.c:16
 *
 * A search finds the shortest. Where there is none, because the trace is long or time is up, what must have
 * happened before the accesses (parts-before.ts) leads there too, in the order of the trace. Such witnesses may
 * have millions of steps, so that these are made when they are asked for.
 *
 * Steps are those events of the trace that are steps of the model (csp/program/step.ts): a lock that its holder
 * takes again, an end that nobody joins, detach, allocate and free are none. All atomic accesses are.
 */
import { firstIndex } from '../../base/bisect.ts';
import type { Step } from '../csp/program/step.ts';
import type { Witness } from '../csp/race-search.ts';
import { Op } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import type { Counts } from './parts-before.ts';
import type { Access, AccessPair } from './race.ts';

export interface WitnessStep {
  readonly event: number;
  readonly thread: number;
  readonly op: Op;
  readonly target: number;
  readonly site: number;
}

/** What a witness consists of: events in an order, or the first so many of each thread in the trace's. */
export type Way = { readonly order: readonly number[] } | { readonly part: Counts };

export interface RaceWitness {
  /** Events before this one are as recorded, and in the recorded order; then come the steps. */
  readonly recordedUntil: number;
  /** Made anew each time. */
  readonly steps: readonly WitnessStep[];
  readonly stepCount: number;
  /** How many steps there are among the events that are as recorded. */
  readonly recordedSteps: number;
  /** The last ones, if there are more than `most`. */
  lastSteps(most: number): readonly WitnessStep[];
  /** What it is made of, for those who keep it. */
  readonly way: Way;
  readonly racing: readonly [Access, Access];
  /** Whether no shorter order is known to lead there. */
  readonly isShortest: boolean;
}

export class Witnesses {
  readonly #trace: ThreadTrace;
  readonly #steps: StepsOfThreads;

  /** `steps`: those of the trace, in its order. */
  constructor(trace: ThreadTrace, steps: readonly Step[]) {
    this.#trace = trace;
    this.#steps = new StepsOfThreads(trace, steps);
  }

  found({ order, racing, recordedUntil, isShortest }: Witness): RaceWitness {
    const [first, second] = racing.map((event) => accessAt(this.#trace, event));
    return this.of({ order }, [first!, second!], recordedUntil, isShortest);
  }

  byPart(part: Counts, { first, second }: AccessPair): RaceWitness {
    return this.of({ part }, [first, second], 0, false);
  }

  of(
    way: Way,
    racing: readonly [Access, Access],
    recordedUntil: number,
    isShortest: boolean,
  ): RaceWitness {
    const trace = this.#trace;
    const steps = this.#steps;
    const eventsIn = (most: number): readonly number[] =>
      'order' in way ? way.order.slice(-most) : steps.lastOf(way.part, most);
    return {
      way,
      racing,
      recordedUntil,
      isShortest,
      recordedSteps: steps.countBefore(recordedUntil),
      stepCount: 'order' in way ? way.order.length : steps.countOf(way.part),
      get steps() {
        return eventsIn(Number.POSITIVE_INFINITY).map((event) => stepAt(trace, event));
      },
      lastSteps: (most) => (most > 0 ? eventsIn(most).map((event) => stepAt(trace, event)) : []),
    };
  }
}

/** By thread: its steps, as events and as indexes among the events of the thread, from 1. */
class StepsOfThreads {
  readonly #events: number[][] = [];
  readonly #indexes: number[][] = [];

  constructor(trace: ThreadTrace, steps: readonly Step[]) {
    const counts: number[] = [];
    let next = 0;
    let event = 0;
    for (const { count, threads, ops } of trace.chunks()) {
      for (let i = 0; i < count; i++, event++) {
        const thread = threads[i]!;
        counts[thread] = (counts[thread] ?? 0) + 1;
        while (next < steps.length && steps[next]!.at < event) next++;
        const isAtomic = ops[i]! >= Op.atomicRead && ops[i]! <= Op.atomicUpdate;
        if (!isAtomic && steps[next]?.event !== event) continue;
        this.#eventsOf(thread).push(event);
        this.#indexes[thread]!.push(counts[thread]);
      }
    }
  }

  countOf(part: Counts): number {
    return this.#indexes.reduce((sum, _, thread) => sum + this.#inPart(part, thread), 0);
  }

  countBefore(event: number): number {
    return this.#events.reduce((sum, own) => sum + firstIndex(own, (one) => one >= event), 0);
  }

  /** The last `most` of those in a part, in the order of the trace. */
  lastOf(part: Counts, most: number): number[] {
    const events = this.#events.flatMap((own, thread) => {
      const count = this.#inPart(part, thread);
      return own.slice(Math.max(0, count - most), count);
    });
    return events.sort((a, b) => a - b).slice(-most);
  }

  #inPart(part: Counts, thread: number): number {
    const count = part[thread] ?? 0;
    return firstIndex(this.#indexes[thread] ?? [], (index) => index > count);
  }

  #eventsOf(thread: number): number[] {
    while (this.#events.length <= thread) {
      this.#events.push([]);
      this.#indexes.push([]);
    }
    return this.#events[thread]!;
  }
}

export function accessAt(trace: ThreadTrace, event: number): Access {
  const { thread, op, site } = stepAt(trace, event);
  return { event, thread, op, site };
}

function stepAt(trace: ThreadTrace, event: number): WitnessStep {
  return {
    event,
    thread: trace.threadAt(event),
    op: trace.opAt(event) as Op,
    target: trace.targetAt(event),
    site: trace.siteAt(event),
  };
}
