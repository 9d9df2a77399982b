/**
 * Who holds which lock while a trace is read. A trace in which a lock is let go of by somebody who does
 * not hold it, or has two holders, was put together wrongly, and what a predictor would say of it would
 * be wrong too.
 *
 *   T1|acq(L)|1   T2|acq(L)|2   →   L is held by T1 since line 1
 *
 * A holder may acquire its lock again, and must then release it as often. Locks may still be held at
 * the end of the trace, or of their holder.
 */
import type { TraceTables } from '../model/tables.ts';

export class LockRules {
  readonly #tables: TraceTables;
  /** Thread + 1, or 0. */
  readonly #holders: number[] = [];
  readonly #depths: number[] = [];
  readonly #lines: number[] = [];

  constructor(tables: TraceTables) {
    this.#tables = tables;
  }

  /** What is wrong with it, if anything. */
  acquire(lock: number, thread: number, line: number): string | undefined {
    const holder = this.#holders[lock] ?? 0;
    if (holder === thread + 1) {
      this.#depths[lock]!++;
      return undefined;
    }
    if (holder !== 0) return this.#heldBy(lock);
    this.#holders[lock] = thread + 1;
    this.#depths[lock] = 1;
    this.#lines[lock] = line;
    return undefined;
  }

  release(lock: number, thread: number): string | undefined {
    const holder = this.#holders[lock] ?? 0;
    if (holder === 0)
      return `${this.#tables.locks.row(lock).symbol} is released, but nobody holds it`;
    if (holder !== thread + 1) return this.#heldBy(lock);
    if (--this.#depths[lock]! === 0) this.#holders[lock] = 0;
    return undefined;
  }

  #heldBy(lock: number): string {
    const { name } = this.#tables.threads.row(this.#holders[lock]! - 1);
    return `${this.#tables.locks.row(lock).symbol} is held by ${name} since line ${this.#lines[lock]}`;
  }
}
