/**
 * One report per root cause: instances with the same pair of programs that do the same kind of thing
 * to objects of the same shape are folded into one race, told with its closest pair and a count.
 * Opening a file to empty it and writing to it are the same kind of thing.
 */
import { firstIndex } from '../../../base/bisect.ts';
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
    for (const index of [after - 1, after]) {
      if (index >= from && index < to) this.#consider(store, others[index]!);
    }
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

  #consider(store: Access, other: Access): void {
    const [a, b] = [endOf(store.step), endOf(other.step)];
    const apart = Math.abs(a - b);
    if (apart >= this.#apart) return;
    this.#apart = apart;
    this.#closest = b < a ? [other, store] : [store, other];
  }
}
