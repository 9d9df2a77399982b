/**
 * Where the records of one kind wait to be compressed: a table with a row for each record, kept
 * column by column, because neighbours in a column resemble each other and neighbours in a record
 * do not. Three `exit` records
 *
 *   sequence 7,  time 1000, tid 14, status 0        sequence   0e  04  02
 *   sequence 9,  time 1800, tid 14, status 0    →   time       d0 0f  c0 0c  08
 *   sequence 10, time 1804, tid 14, status 256      tid        1c  1c  1c
 *                                                   status     00  00  80 04
 *
 * Numbers are zigzag (0 -1 1 -2 … become 0 1 2 3 …), and each takes as many bytes as it needs:
 * seven bits in each, the eighth says that more follow. Sequence numbers and times are stored as
 * the difference to the one before. The table is the length of each column, then the columns; one
 * that holds nothing but zeros has the length 0.
 *
 * On disk a number has 64 bits. In JavaScript it is exact up to 2^53 either way, which covers user
 * addresses, and kernel addresses read as signed (0xffff888000000000 is -0x778000000000). Beyond
 * that the magnitude stays and the last digits go: never use such a value as an identity.
 *
 * The messages of the checks are constant, since building one for each number would cost more than
 * all the rest. Columns are packed when the table is taken, in one tight loop each: packing a row
 * at a time would touch as many places of memory as there are columns.
 */
import { assert } from '../base/assert.ts';

const word = 2 ** 32;
/** What 64 bits can take, at seven bits a byte. */
const mostBytes = 10;

export class ColumnWriter {
  readonly #width: number;
  readonly #mostRows: number;
  /** Column after column, each with room for all rows. */
  readonly #values: Float64Array;
  /** Where a table is put together: as large as one can get. */
  readonly #packed: Uint8Array;
  #rows = 0;
  /** Where the next number of the current row goes. */
  #place = 0;
  #sequence = 0;
  #time = 0;

  constructor(width: number, mostRows: number) {
    this.#width = width;
    this.#mostRows = mostRows;
    this.#values = new Float64Array(width * mostRows);
    this.#packed = new Uint8Array(width * (4 + mostRows * mostBytes));
  }

  get rows(): number {
    return this.#rows;
  }

  u32(value: number): void {
    assert(value >>> 0 === value, 'a number that does not fit 32 bits');
    this.i64(value);
  }

  i64(value: number): void {
    this.#values[this.#place] = value;
    this.#place += this.#mostRows;
  }

  sequence(value: number): void {
    assert(Number.isSafeInteger(value), 'a sequence number that is not exact');
    this.i64(value - this.#sequence);
    this.#sequence = value;
  }

  time(value: number): void {
    assert(Number.isSafeInteger(value), 'a time that is not exact');
    this.i64(value - this.#time);
    this.#time = value;
  }

  /** A place in a list of names, which may only ever grow at its end. */
  choice<T>(value: T, from: readonly T[]): void {
    this.u32(from.indexOf(value));
  }

  endRow(): void {
    const end = this.#rows + this.#values.length;
    assert(this.#place === end, 'a record without the width of its kind');
    this.#rows++;
    this.#place = this.#rows;
  }

  /** The table so far; the next row starts a new one. */
  take(): Buffer {
    const lengths = new Uint32Array(this.#width);
    const table = this.#packed;
    let at = lengths.byteLength;
    for (let column = 0; column < this.#width; column++) {
      const start = column * this.#mostRows;
      const values = this.#values.subarray(start, start + this.#rows);
      const end = isAllZero(values) ? at : pack(values, table, at);
      lengths[column] = end - at;
      at = end;
    }
    table.set(new Uint8Array(lengths.buffer));
    this.#rows = 0;
    this.#place = 0;
    this.#sequence = 0;
    this.#time = 0;
    return Buffer.from(table.subarray(0, at));
  }
}

function isAllZero(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] !== 0) return false;
  return true;
}

/** Returns where the packed numbers end. */
function pack(values: Float64Array, bytes: Uint8Array, start: number): number {
  let at = start;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const small = value | 0;
    if (small === value && small >= -64 && small < 64) {
      bytes[at++] = (small << 1) ^ (small >> 31);
      continue;
    }
    const isShort = value >= -(2 ** 30) && value < 2 ** 30 && (value | 0) === value;
    at = isShort ? packShort(bytes, at, (value << 1) ^ (value >> 31)) : packLong(bytes, at, value);
  }
  return at;
}

function packShort(bytes: Uint8Array, start: number, zigzag: number): number {
  let at = start;
  let rest = zigzag;
  while (rest > 127) {
    bytes[at++] = rest | 128;
    rest >>= 7;
  }
  bytes[at++] = rest;
  return at;
}

function packLong(bytes: Uint8Array, start: number, value: number): number {
  assert(Number.isInteger(value) && value >= -(2 ** 63), 'a number that does not fit 64 bits');
  // 2^63 - 1 itself is not a number in JavaScript: it arrives as 2^63.
  const fits = value < 2 ** 63;
  const upper = fits ? Math.floor(value / word) : 2 ** 31 - 1;
  const lower = fits ? value - upper * word : word - 1;
  const sign = upper >> 31;
  let low = ((lower << 1) ^ sign) >>> 0;
  let high = (((upper << 1) | (lower >>> 31)) ^ sign) >>> 0;
  let at = start;
  while (high > 0 || low > 127) {
    bytes[at++] = low | 128;
    low = ((low >>> 7) | (high << 25)) >>> 0;
    high >>>= 7;
  }
  bytes[at++] = low;
  return at;
}
