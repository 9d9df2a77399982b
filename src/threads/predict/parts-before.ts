/**
 * What must have happened before two racing accesses, for races that the cheap rungs have found: a part of
 * the trace, as for each thread how many of its first events. Its events, in the order of the trace, lead
 * both threads to their accesses.
 *
 *   T1  1 write y   2 acquire m   3 release m
 *   T2                                           4 acquire m   5 release m   6 write y
 *
 * For 1 and 6 by the sync-preserving rung: nothing of T1, the first two of T2. For a race by happens-before it
 * is all that happened before either.
 *
 * The rungs do not keep parts, of which they make very many: this is one more walk over the trace, for those
 * races that are told.
 */
import type { Op } from '../model/op.ts';
import { isAccess } from '../model/op.ts';
import type { ThreadTraceSource } from '../model/trace.ts';
import type { ThreadClocks } from './clocks.ts';
import type { AccessPair } from './race.ts';
import { SyncOrder } from './sync-order.ts';
import { Closure, Part } from './sync-preserving/closure.ts';
import { KeptOrder } from './sync-preserving/kept-order.ts';

/** Which of the two rungs says that a pair races. */
export type FoundBy = 'happens-before' | 'sync-preserving';

export interface FoundRace extends AccessPair {
  readonly rung: FoundBy;
}

/** By thread; what is missing is 0. */
export type Counts = ArrayLike<number>;

/** Where a thread stood before its access, and what it knew. */
interface Stand {
  readonly thread: number;
  readonly index: number;
  readonly others: readonly number[];
}

/** In the order of the races. */
export function partsBefore(trace: ThreadTraceSource, races: readonly FoundRace[]): Counts[] {
  return new PartsBefore(trace, races).run();
}

class PartsBefore {
  readonly #trace: ThreadTraceSource;
  readonly #races: readonly FoundRace[];
  readonly #parts: Counts[];
  readonly #full: SyncOrder;
  readonly #kept: KeptOrder;
  readonly #closure: Closure;
  /** By event: which races it is the first and the second access of. */
  readonly #firstOf: ReadonlyMap<number, readonly number[]>;
  readonly #secondOf: ReadonlyMap<number, readonly number[]>;
  /** By race, where the first of its threads stood. */
  readonly #stands: Stand[] = [];

  constructor(trace: ThreadTraceSource, races: readonly FoundRace[]) {
    this.#trace = trace;
    this.#races = races;
    this.#parts = races.map(() => []);
    this.#full = new SyncOrder(
      { locks: true, wakeups: true, atomics: true, barriers: () => true },
      trace,
    );
    this.#kept = new KeptOrder(trace);
    this.#closure = new Closure(this.#kept.sections);
    this.#firstOf = grouped(races.map(({ first }) => first.event));
    this.#secondOf = grouped(races.map(({ second }) => second.event));
  }

  run(): Counts[] {
    let left = this.#races.length;
    let event = 0;
    if (left === 0) return [];
    for (const { count, threads, ops, targets } of this.#trace.chunks()) {
      for (let i = 0; i < count; i++, event++) {
        const thread = threads[i]!;
        const op = ops[i]! as Op;
        this.#full.step(thread, op, targets[i]!);
        const index = this.#kept.step(thread, op, targets[i]!, event);
        if (!isAccess(op)) continue;
        for (const race of this.#firstOf.get(event) ?? []) {
          this.#stands[race] = this.#standOf(race, thread, index);
        }
        for (const race of this.#secondOf.get(event) ?? []) {
          this.#parts[race] = this.#partOf(race, this.#standOf(race, thread, index));
          left--;
        }
        this.#kept.settle(thread, op, targets[i]!);
        if (left === 0) return this.#parts;
      }
    }
    return this.#parts;
  }

  #clocksOf(race: number): ThreadClocks {
    return (this.#races[race]!.rung === 'happens-before' ? this.#full : this.#kept).clocks;
  }

  #standOf(race: number, thread: number, index: number): Stand {
    return { thread, index, others: this.#clocksOf(race).othersOf(thread) };
  }

  #partOf(race: number, second: Stand): Counts {
    const first = this.#stands[race]!;
    const { width } = this.#clocksOf(race);
    const part = new Part(width);
    for (const { thread, index, others } of [first, second]) {
      part.raise(others);
      part.raiseOne(thread, index - 1);
    }
    if (this.#races[race]!.rung === 'sync-preserving') {
      this.#closure.close(part, width, first.thread, first.index);
    }
    return part.counts;
  }
}

function grouped(events: readonly number[]): Map<number, number[]> {
  const races = new Map<number, number[]>();
  for (const [race, event] of events.entries()) {
    const others = races.get(event);
    if (others === undefined) races.set(event, [race]);
    else others.push(race);
  }
  return races;
}
