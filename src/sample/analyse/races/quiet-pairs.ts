/**
 * Which accesses cannot have been put in order by a lock, whatever it is: those that a thread has made without having
 * taken any since the other one's.
 *
 *   thread 1   sample (17 locks taken so far) ──────────────── touches x (still 17)
 *   thread 2                                     touches x
 *
 * Had thread 2 handed x over by a lock, thread 1 would have taken one in between. Things may be handed over by locks that
 * nothing else is known of: a queue that is looked at again and again, without a condition. So without such a pair it may
 * all be in order, and nobody can be sure of a race.
 */
import type { ThreadOrder } from '../logs/thread-order.ts';
import type { AccessTable } from '../memory/access-table.ts';
import type { AccessClass } from './access-classes.ts';

/** Code that touches the same place in more ways is judged by some of them. */
const MOST_CLASSES = 64;

/** Of one granule. Accesses must come in the order of their times. */
export class QuietPairs {
  readonly #table: AccessTable;
  readonly #order: Pick<ThreadOrder, 'comesBefore'>;
  /** The last access of each class so far. */
  readonly #last = new Map<AccessClass, number>();
  readonly #pairs = new Map<AccessClass, Set<AccessClass>>();

  constructor(table: AccessTable, order: Pick<ThreadOrder, 'comesBefore'>) {
    this.#table = table;
    this.#order = order;
  }

  note(access: number, found: AccessClass): void {
    const { quietSince, times } = this.#table;
    const since = quietSince.at(access);
    for (const [other, last] of this.#last) {
      if (other.thread === found.thread || times.at(last) < since) continue;
      if (!this.has(other, found) && !this.#areOrdered(last, access)) this.#add(other, found);
    }
    if (this.#last.size < MOST_CLASSES || this.#last.has(found)) this.#last.set(found, access);
  }

  has(one: AccessClass, other: AccessClass): boolean {
    return this.#pairs.get(one)?.has(other) === true || this.#pairs.get(other)?.has(one) === true;
  }

  #areOrdered(one: number, other: number): boolean {
    const { segments } = this.#table;
    return this.#order.comesBefore(segments.at(one), segments.at(other));
  }

  #add(one: AccessClass, other: AccessClass): void {
    const known = this.#pairs.get(one);
    if (known === undefined) this.#pairs.set(one, new Set([other]));
    else known.add(other);
  }
}
