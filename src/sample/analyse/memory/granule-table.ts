/**
 * Which eight bytes of a process more than one thread has touched, and somebody has written: most memory is
 * neither, and needs no second look. A hash table of two words for each granule:
 *
 *   low 32 bits of its number | rest of it (12 bits), first thread (16), more than one (1), written (1), used (1)
 */
const USED = 1;
const WRITTEN = 2;
const SHARED = 4;
const THREAD_SHIFT = 3;
const HIGH_SHIFT = 19;
const THREAD_MASK = 0xffff;
const TWO_TO_32 = 0x1_0000_0000;
const MOST_FILLED = 0.6;

export const GRANULE = 8;

export class GranuleTable {
  #low: Uint32Array;
  #rest: Uint32Array;
  #mask: number;
  #count = 0;

  constructor(slots = 1 << 16) {
    this.#low = new Uint32Array(slots);
    this.#rest = new Uint32Array(slots);
    this.#mask = slots - 1;
  }

  /** Granules are numbered by their address / 8. */
  touch(granule: number, thread: number, isWrite: boolean): void {
    const low = granule >>> 0;
    const high = (granule / TWO_TO_32) | 0;
    const slot = this.#slotOf(low, high);
    const rest = this.#rest[slot]!;
    if (rest === 0) {
      this.#low[slot] = low;
      this.#rest[slot] =
        (high << HIGH_SHIFT) | (thread << THREAD_SHIFT) | (isWrite ? WRITTEN : 0) | USED;
      if (++this.#count > MOST_FILLED * this.#low.length) this.#grow();
      return;
    }
    const isOther = ((rest >>> THREAD_SHIFT) & THREAD_MASK) !== thread;
    const added = (isWrite ? WRITTEN : 0) | (isOther ? SHARED : 0);
    if ((rest & added) !== added) this.#rest[slot] = rest | added;
  }

  /** All of them, with what is known of each. */
  forEach(
    visit: (granule: number, thread: number, isShared: boolean, isWritten: boolean) => void,
  ): void {
    for (let slot = 0; slot < this.#rest.length; slot++) {
      const rest = this.#rest[slot]!;
      if (rest === 0) continue;
      const granule = this.#low[slot]! + (rest >>> HIGH_SHIFT) * TWO_TO_32;
      const thread = (rest >>> THREAD_SHIFT) & THREAD_MASK;
      visit(granule, thread, (rest & SHARED) !== 0, (rest & WRITTEN) !== 0);
    }
  }

  #slotOf(low: number, high: number): number {
    const mixed = Math.imul(low ^ (high << 20) ^ (low >>> 15), 0x9e37_79b1);
    let slot = (mixed ^ (mixed >>> 15)) & this.#mask;
    for (;;) {
      const rest = this.#rest[slot]!;
      if (rest === 0 || (this.#low[slot] === low && rest >>> HIGH_SHIFT === high)) return slot;
      slot = (slot + 1) & this.#mask;
    }
  }

  #grow(): void {
    const [lows, rests] = [this.#low, this.#rest];
    this.#low = new Uint32Array(2 * lows.length);
    this.#rest = new Uint32Array(2 * lows.length);
    this.#mask = 2 * lows.length - 1;
    for (let from = 0; from < rests.length; from++) {
      const rest = rests[from]!;
      if (rest === 0) continue;
      const slot = this.#slotOf(lows[from]!, rest >>> HIGH_SHIFT);
      this.#low[slot] = lows[from]!;
      this.#rest[slot] = rest;
    }
  }
}
