/**
 * One report per root cause: instances with the same pair of programs that do the same kind of thing
 * to objects of the same shape are folded into one race, told with its closest pair and a count.
 * Opening a file to empty it and writing to it are the same kind of thing.
 *
 *   grep   read(list) = 10   read(list) = 0          the second is closer, but only says that the file
 *   tee                                  open(list)  has ended: the first stands for both
 */
import { firstIndex } from '../../../base/bisect.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import { objectShape } from '../object-shape.ts';
import type { Access } from '../race.ts';
import { endOf } from '../step.ts';
import type { Stretch } from './event.ts';

export interface Pair {
  /** The closest pair, in the order in which they happened. */
  sides: [Access, Access];
  occurrences: number;
}

type Party = Pick<Stretch, 'program' | 'verb' | 'operation'>;

export class RootCauses {
  readonly #causes = new Map<string, RootCause>();

  of(a: Party, b: Party): RootCause {
    const parties = [a, b].map(({ program, verb }) => `${program} ${verb}`).sort();
    const key = [objectShape(a.operation.thing.name), ...parties].join('\0');
    let cause = this.#causes.get(key);
    if (!cause) {
      cause = new RootCause();
      this.#causes.set(key, cause);
    }
    return cause;
  }

  pairs(): Pair[] {
    return [...this.#causes.values()].flatMap((cause) => cause.pair() ?? []);
  }
}

/** How many reads in a row may have come to nothing before one of them will do. */
const MOST_VAIN_READS = 16;
/** Further apart than any pair of which something was read. */
const IN_VAIN = 2 ** 48;

export class RootCause {
  #closest: [Access, Access] | undefined;
  #apart = Number.POSITIVE_INFINITY;
  #withLoads = 0;
  /** Each of these pairs is met twice, from either side. */
  #withStores = 0;

  /** The store races with all of `others` from one index up to another. */
  add(store: Access, others: readonly Access[], from: number, to: number): void {
    this.#count(others[from]!, to - from);
    const at = endOf(store.step);
    const after = firstIndex(others, ({ step }) => endOf(step) >= at, from, to);
    // The nearest one on either side; those behind it can only be better if it was in vain.
    const first = Math.max(from, after - MOST_VAIN_READS);
    const end = Math.min(to, after + MOST_VAIN_READS);
    let index = after - 1;
    while (index >= first && !this.#consider(store, others[index]!)) index--;
    index = after;
    while (index < end && !this.#consider(store, others[index]!)) index++;
  }

  addOne(store: Access, other: Access): void {
    this.#count(other, 1);
    this.#consider(store, other);
  }

  pair(): Pair | undefined {
    const sides = this.#closest;
    return sides && { sides, occurrences: this.#withLoads + this.#withStores / 2 };
  }

  #count({ operation }: Access, instances: number): void {
    if (operation.op === 'store') this.#withStores += instances;
    else this.#withLoads += instances;
  }

  /** Whether it is as good as any that is further away. */
  #consider(store: Access, other: Access): boolean {
    const [a, b] = [endOf(store.step), endOf(other.step)];
    const wasInVain = isInVain(other);
    const apart = Math.abs(a - b) + (wasInVain ? IN_VAIN : 0);
    if (apart < this.#apart) {
      this.#apart = apart;
      this.#closest = b < a ? [other, store] : [store, other];
    }
    return !wasInVain;
  }
}

/** A read that found the end. */
function isInVain({ step: { record }, operation }: Access): boolean {
  if (operation.op === 'store' || record.kind !== 'call' || record.result !== 0) return false;
  return /^p?read(64|v2?)?$/.test(syscallName(record.number));
}
