/**
 * One report per root cause: instances with the same path and the same pair of programs are
 * folded into one race, told with its closest pair and a count.
 */
import type { Side } from './accesses.ts';
import { firstIndex } from './bisect.ts';

export interface LoadStoreRace {
  /** The closest pair, in the order in which they happened. */
  sides: [Side, Side];
  occurrences: number;
}

export class RootCauses {
  readonly #causes = new Map<string, RootCause>();

  of(path: string, program: string, otherProgram: string): RootCause {
    const key = [path, ...[program, otherProgram].sort()].join('\0');
    let cause = this.#causes.get(key);
    if (!cause) {
      cause = new RootCause();
      this.#causes.set(key, cause);
    }
    return cause;
  }

  /** Closest first. */
  races(): LoadStoreRace[] {
    const found = [...this.#causes.values()].sort((a, b) => a.distance - b.distance);
    return found.flatMap((cause) => cause.race() ?? []);
  }
}

class RootCause {
  #closest: [Side, Side] | undefined;
  distance = Number.POSITIVE_INFINITY;
  #withLoads = 0;
  /** Each of these pairs is met twice, from either side. */
  #withStores = 0;

  /** The store races with all of `others` from one index up to another. */
  add(store: Side, others: readonly Side[], from: number, to: number): void {
    if (others[from]!.operation.op === 'store') this.#withStores += to - from;
    else this.#withLoads += to - from;
    for (const index of nearest(store, others, from, to)) {
      const other = others[index]!;
      const distance = Math.abs(other.call.exit - store.call.exit);
      if (distance >= this.distance) continue;
      this.distance = distance;
      this.#closest = other.call.exit < store.call.exit ? [other, store] : [store, other];
    }
  }

  race(): LoadStoreRace | undefined {
    const sides = this.#closest;
    return sides && { sides, occurrences: this.#withLoads + this.#withStores / 2 };
  }
}

/** The neighbours of the store in time, on both sides. */
function nearest(store: Side, others: readonly Side[], from: number, to: number): number[] {
  const after = firstIndex(others, ({ call }) => call.exit >= store.call.exit, from, to);
  return [after - 1, after].filter((index) => index >= from && index < to);
}
