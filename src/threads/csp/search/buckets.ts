/** States that are still to be looked at, those with the least figure first; of equals, the latest. */
export class Buckets {
  readonly #buckets: number[][] = [];
  #least = 0;

  add(state: number, figure: number): void {
    const bucket = this.#buckets[figure];
    if (bucket === undefined) this.#buckets[figure] = [state];
    else bucket.push(state);
    this.#least = Math.min(this.#least, figure);
  }

  /** Undefined if there is none left. */
  take(): number | undefined {
    for (; this.#least < this.#buckets.length; this.#least++) {
      const state = this.#buckets[this.#least]?.pop();
      if (state !== undefined) return state;
    }
    return undefined;
  }
}
