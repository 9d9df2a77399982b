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
  /** Both words of a granule beside each other: memory is fetched once for them. */
  #words: Uint32Array;
  #mask: number;
  #count = 0;

  constructor(slots = 1 << 16) {
    this.#words = new Uint32Array(2 * slots);
    this.#mask = slots - 1;
  }

  /** Granules are numbered by their address / 8. */
  touch(granule: number, thread: number, isWrite: boolean): void {
    const low = granule >>> 0;
    const high = (granule / TWO_TO_32) | 0;
    const at = this.#placeOf(low, high);
    const words = this.#words;
    const rest = words[at + 1]!;
    if (rest === 0) {
      words[at] = low;
      words[at + 1] =
        (high << HIGH_SHIFT) | (thread << THREAD_SHIFT) | (isWrite ? WRITTEN : 0) | USED;
      if (++this.#count > MOST_FILLED * this.#mask) this.#grow();
      return;
    }
    const isOther = ((rest >>> THREAD_SHIFT) & THREAD_MASK) !== thread;
    const added = (isWrite ? WRITTEN : 0) | (isOther ? SHARED : 0);
    if ((rest & added) !== added) words[at + 1] = rest | added;
  }

  /** All of them, with what is known of each. */
  forEach(
    visit: (granule: number, thread: number, isShared: boolean, isWritten: boolean) => void,
  ): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at += 2) {
      const rest = words[at + 1]!;
      if (rest === 0) continue;
      const granule = words[at]! + (rest >>> HIGH_SHIFT) * TWO_TO_32;
      const thread = (rest >>> THREAD_SHIFT) & THREAD_MASK;
      visit(granule, thread, (rest & SHARED) !== 0, (rest & WRITTEN) !== 0);
    }
  }

  #placeOf(low: number, high: number): number {
    const mixed = Math.imul(low ^ (high << 20) ^ (low >>> 15), 0x9e37_79b1);
    const words = this.#words;
    for (let slot = (mixed ^ (mixed >>> 15)) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const rest = words[2 * slot + 1]!;
      if (rest === 0 || (words[2 * slot] === low && rest >>> HIGH_SHIFT === high)) return 2 * slot;
    }
  }

  #grow(): void {
    const before = this.#words;
    this.#words = new Uint32Array(2 * before.length);
    this.#mask = before.length - 1;
    for (let from = 0; from < before.length; from += 2) {
      const rest = before[from + 1]!;
      if (rest === 0) continue;
      const at = this.#placeOf(before[from]!, rest >>> HIGH_SHIFT);
      this.#words[at] = before[from]!;
      this.#words[at + 1] = rest;
    }
  }
}
