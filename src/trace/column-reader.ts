/**
 * Reads back a table that column-writer.ts has written, row after row:
 *
 *   const table = new ColumnReader(bytes, 0, exit.width);
 *   table.beginRow(); table.sequence(); table.time(); table.u32(); table.u32(); …
 *
 * The checksum says that the bytes are those that were written; a column that is too short, which
 * only a forger could make, is therefore not looked for at each number but once, in `finish`.
 */
import { intact } from './damage.ts';

const lengthBytes = 4;

export class ColumnReader {
  readonly #row: Float64Array;
  readonly #bytes: Buffer;
  /** Where the next number of each column is. */
  readonly #places: Uint32Array;
  readonly #ends: Uint32Array;
  #column = 0;
  #sequence = 0;
  #time = 0;

  /** The table of `width` columns that starts at `start`. */
  constructor(bytes: Buffer, start: number, width: number) {
    this.#row = new Float64Array(width);
    this.#bytes = bytes;
    this.#places = new Uint32Array(width);
    this.#ends = new Uint32Array(width);
    let at = start + width * lengthBytes;
    intact(at <= bytes.length, 'a table that is cut short');
    for (let i = 0; i < width; i++) {
      this.#places[i] = at;
      at += bytes.readUInt32LE(start + i * lengthBytes);
      intact(at <= bytes.length, 'a column that is cut short');
      this.#ends[i] = at;
    }
  }

  /** Where the table ends. */
  get end(): number {
    return this.#ends.at(-1)!;
  }

  beginRow(): void {
    const row = this.#row;
    const bytes = this.#bytes;
    const places = this.#places;
    const ends = this.#ends;
    for (let column = 0; column < row.length; column++) {
      let at = places[column]!;
      // A column of nothing but zeros; also the end of one that is too short, see `finish`.
      if (at === ends[column]!) continue;
      let byte = bytes[at++]!;
      let zigzag = byte & 127;
      for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
        byte = bytes[at++]!;
        zigzag |= (byte & 127) << shift;
      }
      if (byte > 127) {
        row[column] = unpackLong(bytes, places[column]!);
        while (bytes[at++]! > 127);
      } else {
        row[column] = (zigzag >>> 1) ^ -(zigzag & 1);
      }
      places[column] = at;
    }
    this.#column = 0;
  }

  /** To be called after the last row. */
  finish(): void {
    const isUsedUp = this.#places.every((place, i) => place === this.#ends[i]);
    intact(isUsedUp, 'a column without the length of its table');
  }

  u32(): number {
    // The engine of Node keeps what it knows to be an integer in a smaller form.
    return this.#row[this.#column++]! >>> 0;
  }

  i64(): number {
    return this.#row[this.#column++]!;
  }

  sequence(): number {
    this.#sequence += this.i64();
    return this.#sequence;
  }

  time(): number {
    this.#time += this.i64();
    return this.#time;
  }

  choice<T>(from: readonly T[]): T {
    const value = from[this.u32()];
    intact(value !== undefined, 'a choice that is not in its list');
    return value;
  }
}

/** A number of five to ten bytes, put together from two halves of 32 bits. */
function unpackLong(bytes: Buffer, start: number): number {
  let low = 0;
  let high = 0;
  let at = start;
  for (let shift = 0; ; shift += 7) {
    intact(shift < 70, 'a number that does not fit 64 bits');
    const byte = bytes[at++]!;
    const bits = byte & 127;
    if (shift < 32) low |= bits << shift;
    if (shift === 28) high = bits >>> 4;
    if (shift > 28) high |= bits << (shift - 32);
    if (byte < 128) break;
  }
  const sign = -(low & 1);
  const upper = (high >>> 1) ^ sign;
  const lower = ((low >>> 1) | (high << 31)) ^ sign;
  return upper * 2 ** 32 + (lower >>> 0);
}
