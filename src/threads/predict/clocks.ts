/**
 * What each thread knows to have happened, while a trace is read. The events of a thread are numbered from
 * 1; to know number 5 of a thread is to know everything before it, and everything that it knew.
 *
 *   T0  write x  release m                     T0's event 2 is a moment: { thread 0, index 2, others [] }
 *   T1                      acquire m          learns it: T1's others become [2]
 *
 * So whether T0's event 1 happened before T1's newest is one comparison, 1 ≤ others[0]: the epochs of
 * FastTrack (Flanagan and Freund, 2009), with a thread's own events as its clock.
 *
 * A moment is cheap: it shares the array of its thread, which is copied only when the thread learns
 * something after that.
 *
 * Limits: an array is as wide as there are threads, so a thousand threads of which each hears of all
 * others take a million numbers.
 */

/** By thread, how many of its events; what is missing is 0. */
export type Clock = number[];

/** One event of a thread, and what that knew of others. */
export interface Moment {
  readonly thread: number;
  readonly index: number;
  readonly others: readonly number[];
}

export class ThreadClocks {
  /** By thread, how many events it has had. */
  readonly #counts: number[] = [];
  readonly #others: Clock[] = [];
  readonly #isShared: boolean[] = [];

  get width(): number {
    return this.#counts.length;
  }

  /** The thread has one more event; returns its index. */
  step(thread: number): number {
    if (thread >= this.#counts.length) this.#widen(thread);
    return ++this.#counts[thread]!;
  }

  /** What it knows of others. Valid for good: what the thread learns later is not in it. */
  othersOf(thread: number): readonly number[] {
    this.#isShared[thread] = true;
    return this.#others[thread]!;
  }

  /** Whether the thread's newest event is `of`'s event or comes after it. */
  knows(thread: number, of: number, index: number): boolean {
    return thread === of || (this.#others[thread]![of] ?? 0) >= index;
  }

  momentOf(thread: number): Moment {
    if (thread >= this.#counts.length) this.#widen(thread);
    return { thread, index: this.#counts[thread]!, others: this.othersOf(thread) };
  }

  learn(thread: number, { thread: of, index, others }: Moment): void {
    if (thread >= this.#counts.length) this.#widen(thread);
    // A thread without events has nothing to know, but was forked.
    if (index > 0 && this.knows(thread, of, index)) return;
    const clock = this.#ownOthers(thread);
    raise(clock, others);
    raiseOne(clock, of, index);
  }

  learnAll(thread: number, all: readonly number[]): void {
    if (thread >= this.#counts.length) this.#widen(thread);
    if (!covers(this.#others[thread]!, all)) raise(this.#ownOthers(thread), all);
  }

  #ownOthers(thread: number): Clock {
    if (this.#isShared[thread]) {
      this.#others[thread] = this.#others[thread]!.slice();
      this.#isShared[thread] = false;
    }
    return this.#others[thread]!;
  }

  #widen(thread: number): void {
    while (this.#counts.length <= thread) {
      this.#counts.push(0);
      this.#others.push([]);
      this.#isShared.push(false);
    }
  }
}

function covers(clock: readonly number[], all: readonly number[]): boolean {
  for (let i = 0; i < all.length; i++) if ((clock[i] ?? 0) < all[i]!) return false;
  return true;
}

/** Without holes, which would make every later look at it slower. */
export function raiseOne(clock: Clock, thread: number, index: number): void {
  while (clock.length <= thread) clock.push(0);
  if (clock[thread]! < index) clock[thread] = index;
}

export function raise(clock: Clock, by: readonly number[]): void {
  while (clock.length < by.length) clock.push(0);
  for (let i = 0; i < by.length; i++) if (clock[i]! < by[i]!) clock[i] = by[i]!;
}
