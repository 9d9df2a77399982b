/**
 * Finds what an address belongs to, among things that each have a range of addresses.
 *
 *   new DisjointRanges([{ low: 0x1000, high: 0x1040, value: 'main' }, …]).find(0x1010)   // 'main'
 *
 * Ranges should not overlap. Where they do (two symbols for one variable, damage), the one that begins
 * first keeps its addresses, of two with the same beginning the longer one; the other has what is left.
 */
export interface RangeOf<T> {
  readonly low: number;
  readonly high: number;
  readonly value: T;
}

export class DisjointRanges<T> {
  readonly #lows: number[];
  readonly #highs: number[];
  readonly #values: T[];

  constructor(ranges: readonly RangeOf<T>[]) {
    const sorted = ranges
      .filter(({ low, high }) => low < high)
      .sort((a, b) => a.low - b.low || b.high - a.high);
    const kept: RangeOf<T>[] = [];
    let end = 0;
    for (const { low, high, value } of sorted) {
      if (high <= end) continue;
      kept.push({ low: Math.max(low, end), high, value });
      end = high;
    }
    this.#lows = kept.map(({ low }) => low);
    this.#highs = kept.map(({ high }) => high);
    this.#values = kept.map(({ value }) => value);
  }

  find(address: number): T | undefined {
    const i = lastAtOrBelow(this.#lows, address, 0, this.#lows.length);
    return i >= 0 && address < this.#highs[i]! ? this.#values[i] : undefined;
  }
}

/** The last index in [from, to) whose number is at most `value`; `from - 1` if there is none. */
export function lastAtOrBelow(
  sorted: ArrayLike<number>,
  value: number,
  from: number,
  to: number,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}
