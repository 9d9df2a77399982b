/** From a granule's number to its place in a sorted list, or -1: asked for each access, so it is a hash table. */

const EMPTY = -1;

export class GranuleIndex {
  readonly #granules: Float64Array;
  readonly #slots: Int32Array;
  readonly #mask: number;

  constructor(granules: Float64Array) {
    this.#granules = granules;
    let slots = 16;
    while (slots < 2 * granules.length) slots *= 2;
    this.#slots = new Int32Array(slots).fill(EMPTY);
    this.#mask = slots - 1;
    for (let place = 0; place < granules.length; place++) {
      let slot = this.#slotOf(granules[place]!);
      while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = place;
    }
  }

  find(granule: number): number {
    let slot = this.#slotOf(granule);
    for (;;) {
      const place = this.#slots[slot]!;
      if (place === EMPTY || this.#granules[place] === granule) return place;
      slot = (slot + 1) & this.#mask;
    }
  }

  #slotOf(granule: number): number {
    const low = granule >>> 0;
    const mixed = Math.imul(low ^ (low >>> 15), 0x9e37_79b1);
    return (mixed ^ (mixed >>> 15)) & this.#mask;
  }
}
