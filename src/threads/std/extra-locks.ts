/**
 * How to say with plain locks what the text has no words for, so that its reader keeps the same order:
 *
 *   atomic-update(v)     acq(atomic:v) r(v) w(v) rel(atomic:v)
 *   signal(c)            acq(c) w(state:c) rel(c)
 *   wait-end(c)          acq(c) r(state:c) rel(c)
 *
 * Who only looks at happens-before sees an edge from each such section to the next of the same lock,
 * which includes all those that are real. Who reorders sections, and keeps for each read the write it
 * read from, cannot move a wait-end before its signal either.
 *
 * A lock for readers and writers becomes one lock for each thread that ever reads, and one for writers,
 * who take all of them. That is exact: readers do not order each other.
 *
 *   T1 acquire-shared(L)    acq(L:T1)
 *   T2 acquire(L)           acq(L) acq(L:T1) acq(L:T3)      and released the other way round
 *
 * What is lost is told in docs/std-traces.md.
 */

import type { EventColumns } from '../model/event-columns.ts';
import { Op } from '../model/op.ts';

/** What an op does to the state of the object that it is about, while it holds the object's lock. */
export const stateAccesses: Readonly<Partial<Record<number, string>>> = {
  [Op.signal]: 'w',
  [Op.broadcast]: 'w',
  [Op.waitEnd]: 'r',
  // A semaphore counts: each step depends on all before it.
  [Op.post]: 'rw',
  [Op.waitDone]: 'rw',
  [Op.arrive]: 'rw',
  [Op.leave]: 'r',
  [Op.onceEnd]: 'w',
  [Op.oncePass]: 'r',
};

/** What an op does to its variable, while it holds a lock of that variable's own. */
export const atomicAccesses: Readonly<Partial<Record<number, string>>> = {
  [Op.atomicRead]: 'r',
  [Op.atomicWrite]: 'w',
  [Op.atomicUpdate]: 'rw',
};

/** Which threads ever held a lock as one of several, by lock. */
export class Readers {
  readonly #threads = new Map<number, Set<number>>();

  look({ count, threads, ops, targets }: EventColumns): void {
    for (let i = 0; i < count; i++) {
      if (ops[i] !== Op.acquireShared) continue;
      const lock = targets[i]!;
      const readers = this.#threads.get(lock) ?? new Set();
      this.#threads.set(lock, readers.add(threads[i]!));
    }
  }

  of(lock: number): readonly number[] {
    return [...(this.#threads.get(lock) ?? [])];
  }
}
