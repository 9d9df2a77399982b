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
  /**
   * Some others, which differ from it in the calls, in who came first, or in that one is the first or
   * last of its process: of a file that is read in two pieces while it is written, only the first
   * piece may make a difference.
   */
  others: [Access, Access][];
  occurrences: number;
}

const MOST_OTHERS = 8;

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
  readonly #kinds = new Map<string, { sides: [Access, Access]; apart: number }>();
  #withLoads = 0;
  /** Each of these pairs is met twice, from either side. */
  #withStores = 0;

  /** The store races with all of `others` from one index up to another. */
  add(store: Access, others: readonly Access[], from: number, to: number): void {
    this.#count(others[from]!, to - from);
    const at = endOf(store.step);
    const after = firstIndex(others, ({ step }) => endOf(step) >= at, from, to);
    for (const index of [after - 1, after]) {
      if (index >= from && index < to) this.#consider(store, others[index]!, 'near');
    }
    this.#consider(store, others[from]!, 'first');
    this.#consider(store, others[to - 1]!, 'last');
  }

  addOne(store: Access, other: Access, place: Place): void {
    this.#count(other, 1);
    this.#consider(store, other, place);
  }

  pair(): Pair | undefined {
    const sides = this.#closest;
    if (!sides) return undefined;
    const [a, b] = sides;
    const kinds = [...this.#kinds.values()].sort((one, two) => one.apart - two.apart);
    const isAnother = ([c, d]: [Access, Access]): boolean => a.step !== c.step || b.step !== d.step;
    const others = kinds.map((kind) => kind.sides).filter(isAnother);
    const occurrences = this.#withLoads + this.#withStores / 2;
    return { sides, others: distinct(others).slice(0, MOST_OTHERS), occurrences };
  }

  #count({ operation }: Access, instances: number): void {
    if (operation.op === 'store') this.#withStores += instances;
    else this.#withLoads += instances;
  }

  #consider(store: Access, other: Access, place: Place): void {
    const [a, b] = [endOf(store.step), endOf(other.step)];
    const apart = Math.abs(a - b);
    if (apart < this.#apart) {
      this.#apart = apart;
      this.#closest = b < a ? [other, store] : [store, other];
    }
    const kind = `${callOf(store)} ${b < a ? 'after' : 'before'} ${place} ${callOf(other)}`;
    const known = this.#kinds.get(kind);
    if (known ? known.apart <= apart : this.#kinds.size >= 2 * MOST_OTHERS) return;
    this.#kinds.set(kind, { sides: b < a ? [other, store] : [store, other], apart });
  }
}

/** Where an access stands among those of its process that race with the store. */
export type Place = 'first' | 'last' | 'near';

const callOf = ({ step: { record } }: Access): string =>
  record.kind === 'call' ? `${record.number}` : record.kind;

/** One pair may be of several kinds. */
function distinct(pairs: readonly [Access, Access][]): [Access, Access][] {
  const seen = new Set<string>();
  return pairs.filter(([a, b]) => {
    const key = `${a.step.event} ${b.step.event}`;
    return seen.size < seen.add(key).size;
  });
}
