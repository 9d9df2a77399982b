/**
 * Gives each name in a text file a number, in the order of their first appearance, from its bytes:
 *
 *   of 'V12' → 0, of 'V7' → 1, of 'V12' → 0
 *
 * Making a string of each name first, to look it up in a Map, would take longer than all the rest of an
 * import. This is a hash table with open addressing; the caller has the hash already, since it looked
 * at each byte to find the end of the name.
 */
import { assert } from '../../base/assert.ts';
import { decodeBytes } from '../../base/bytes.ts';

export const firstHash = 0x811c9dc5 | 0;

/** FNV-1a, a byte at a time. */
export function nextHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

export class ByteNames {
  #count = 0;
  /** Name number + 1 in each slot, 0 for none; a power of two of them, at most half full. */
  #slots = new Int32Array(256);
  #hashes = new Int32Array(128);
  /** Name n is at `#ends[n]` … `#ends[n + 1]`. */
  #ends = new Uint32Array(129);
  #bytes = Buffer.alloc(4096);

  get count(): number {
    return this.#count;
  }

  /** Its number, which is the former `count` if it is new. */
  numberOf(text: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = spread(hash) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1;
      if (number < 0) return this.#add(text, start, end, hash, slot);
      if (this.#hashes[number] === hash && this.#equals(number, text, start, end)) return number;
    }
  }

  text(number: number): string {
    return decodeBytes(this.#bytes.subarray(this.#ends[number]!, this.#ends[number + 1]!));
  }

  #equals(number: number, text: Uint8Array, start: number, end: number): boolean {
    const first = this.#ends[number]!;
    if (this.#ends[number + 1]! - first !== end - start) return false;
    const bytes = this.#bytes;
    for (let i = start; i < end; i++) if (bytes[first + i - start] !== text[i]) return false;
    return true;
  }

  #add(text: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const number = this.#count++;
    const first = this.#ends[number]!;
    const last = first + end - start;
    assert(last < 2 ** 32, 'names of more than 4 GB');
    if (last > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], Math.max(2 * this.#bytes.length, last));
    }
    this.#bytes.set(text.subarray(start, end), first);
    this.#slots[slot] = number + 1;
    this.#hashes[number] = hash;
    this.#ends[number + 1] = last;
    if (this.#count === this.#hashes.length) this.#grow();
    return number;
  }

  #grow(): void {
    const capacity = 2 * this.#count;
    const hashes = new Int32Array(capacity);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const ends = new Uint32Array(capacity + 1);
    ends.set(this.#ends);
    this.#ends = ends;
    this.#slots = new Int32Array(2 * capacity);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = spread(hashes[number]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

/** The low bits of the hash are those of the last bytes alone. */
function spread(hash: number): number {
  return hash ^ (hash >>> 15);
}
