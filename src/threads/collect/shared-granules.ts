/**
 * The granules with bytes that more than one thread touched, one of them writing: of each generation, which
 * bytes, and where accesses to them begin and end. These make variables:
 *
 *   shared  0b11111111
 *   splits  0b00010000    an access begins or ends at byte 4
 *           → two variables, bytes 0 to 3 and 4 to 7
 */
import { GrowingBytes, GrowingFloats, GrowingWords } from './growing.ts';
import { PageNumbers, pageOf } from './pages.ts';

export class SharedGranules {
  /** Of the granule's first byte. */
  readonly addresses = new GrowingFloats();
  readonly generations = new GrowingWords();
  /** Bits for its bytes. */
  readonly shared = new GrowingBytes();
  readonly splits = new GrowingBytes();
  readonly atomic = new GrowingBytes();
  /** Those that have any, in some generation. */
  readonly pages = new PageNumbers();
  #table = new Uint32Array(1024);

  get count(): number {
    return this.addresses.length;
  }

  add(address: number, generation: number, shared: number, splits: number, atomic: number): void {
    this.addresses.push(address);
    this.generations.push(generation);
    this.shared.push(shared);
    this.splits.push(splits);
    this.atomic.push(atomic);
    this.pages.add(pageOf(address));
    if (2 * this.count > this.#table.length) this.#grow();
    else this.#enter(this.count - 1);
  }

  /** -1 if there is none. */
  find(address: number, generation: number): number {
    return this.#table[this.#placeOf(address, generation)]! - 1;
  }

  #placeOf(address: number, generation: number): number {
    const last = this.#table.length - 1;
    const upper = Math.floor(address / 0x1_0000_0000);
    let hash = Math.imul((address | 0) ^ Math.imul(upper, 0x85eb_ca6b), 0x9e37_79b1);
    hash = Math.imul(hash ^ generation ^ (hash >>> 15), 0x2c1b_3c6d);
    let place = (hash ^ (hash >>> 13)) & last;
    for (;;) {
      const one = this.#table[place]! - 1;
      if (one < 0) return place;
      if (this.addresses.items[one] === address && this.generations.items[one] === generation) {
        return place;
      }
      place = (place + 1) & last;
    }
  }

  #enter(one: number): void {
    const place = this.#placeOf(this.addresses.items[one]!, this.generations.items[one]!);
    this.#table[place] = one + 1;
  }

  #grow(): void {
    this.#table = new Uint32Array(2 * this.#table.length);
    for (let one = 0; one < this.count; one++) this.#enter(one);
  }
}

/** The variables in a granule, as bits of their bytes, by `shared << 8 | splits`. */
const known = new Array<readonly number[] | undefined>(0x1_0000).fill(undefined);

export function piecesOf(shared: number, splits: number): readonly number[] {
  const pieces = known[(shared << 8) | splits] ?? computePieces(shared, splits);
  known[(shared << 8) | splits] = pieces;
  return pieces;
}

function computePieces(shared: number, splits: number): number[] {
  const pieces: number[] = [];
  let piece = 0;
  for (let byte = 0; byte <= 8; byte++) {
    const bit = 1 << byte;
    const isIn = byte < 8 && (shared & bit) !== 0;
    if (piece !== 0 && (!isIn || (splits & bit) !== 0)) {
      pieces.push(piece);
      piece = 0;
    }
    if (isIn) piece |= bit;
  }
  return pieces;
}
