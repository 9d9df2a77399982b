/**
 * Picks one of many by weight, and lets weights change: both in a time that grows with the logarithm of how
 * many there are. Weights 3, 0, 1 and a point of 0.5 of the whole give the first one, 0.9 the third.
 *
 * Sums are kept in a Fenwick tree: the entry at i is the sum of as many weights up to i as its lowest bit says.
 */
export class Weights {
  readonly #weights: Float64Array;
  readonly #sums: Float64Array;

  constructor(weights: readonly number[]) {
    this.#weights = Float64Array.from(weights);
    this.#sums = new Float64Array(weights.length + 1);
    for (let i = 1; i <= weights.length; i++) {
      this.#sums[i]! += this.#weights[i - 1]!;
      const above = i + (i & -i);
      if (above <= weights.length) this.#sums[above]! += this.#sums[i]!;
    }
  }

  get(index: number): number {
    return this.#weights[index]!;
  }

  set(index: number, weight: number): void {
    const change = weight - this.#weights[index]!;
    this.#weights[index] = weight;
    for (let i = index + 1; i < this.#sums.length; i += i & -i) this.#sums[i]! += change;
  }

  get total(): number {
    let total = 0;
    for (let i = this.#weights.length; i > 0; i -= i & -i) total += this.#sums[i]!;
    return total;
  }

  /** `point`: from 0 to 1. undefined if there is nothing to pick. */
  pick(point: number): number | undefined {
    let rest = point * this.total;
    let at = 0;
    for (let step = highestBit(this.#weights.length); step > 0; step >>= 1) {
      const next = at + step;
      if (next < this.#sums.length && this.#sums[next]! <= rest) {
        rest -= this.#sums[next]!;
        at = next;
      }
    }
    // Sums of fractions are not exact: it may have come out behind the last one, or on one that weighs nothing.
    for (let i = Math.min(at, this.#weights.length - 1); i >= 0; i--)
      if (this.#weights[i]! > 0) return i;
    const first = this.#weights.findIndex((weight) => weight > 0);
    return first < 0 ? undefined : first;
  }
}

const highestBit = (number: number): number => (number === 0 ? 0 : 1 << (31 - Math.clz32(number)));
