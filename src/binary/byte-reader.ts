/**
 * Reads numbers and strings from bytes, one after the other: little-endian, as everything on x86-64 is.
 *
 *   const reader = new ByteReader(bytes, 0x3a0);
 *   const type = reader.u32();        // the four bytes at 0x3a0
 *   reader.uleb();                    // what follows: 0xe5 0x8e 0x26 is 624485
 *   reader.at                         // 0x3a7
 *
 * Never reads outside of its part of the bytes, and never gives a number that is not exact: both are
 * `BadBinary`, which says where. Values that may take all 64 bits (constants in debug information, say)
 * are read by `bigU64`, or passed over by `skip` and `skipLeb`.
 */
import { decodeBytes } from '../base/bytes.ts';

/**
 * The file is not what it should be: cut short, damaged, or of a kind that is not read here. The message
 * says what is wrong and where, without the file's name: 'the section headers at 0x3a0 are outside the
 * file'. Callers, who know the name, make a `UserError` of it.
 */
export class BadBinary extends Error {
  override name = 'BadBinary';
}

/** As in messages: `0x3a0`. */
export const hex = (value: number | bigint): string =>
  value < 0 ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`;

/** Ten bytes hold 64 bits; assemblers that leave room for a larger number write a few more. */
const LONGEST_LEB = 16;

export class ByteReader {
  readonly #bytes: Uint8Array;
  /** Where the next thing is read: an index of the bytes. May be set; reading checks it. */
  at: number;
  readonly end: number;
  /** What the bytes are, for messages: '.eh_frame'. */
  readonly #name: string;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, name = 'the data') {
    if (!(at >= 0 && at <= end && end <= bytes.length)) {
      throw new BadBinary(
        `${name} from ${hex(at)} to ${hex(end)} is outside its ${hex(bytes.length)} bytes`,
      );
    }
    this.#bytes = bytes;
    this.at = at;
    this.end = end;
    this.#name = name;
  }

  get left(): number {
    return this.end - this.at;
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!;
  }

  i8(): number {
    return (this.u8() << 24) >> 24;
  }

  u16(): number {
    const at = this.#take(2);
    return this.#bytes[at]! | (this.#bytes[at + 1]! << 8);
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  i32(): number {
    const bytes = this.#bytes;
    const at = this.#take(4);
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }

  u32(): number {
    return this.i32() >>> 0;
  }

  u64(): number {
    const at = this.at;
    const low = this.u32();
    const high = this.u32();
    if (high >= 0x20_0000) this.#tooLarge(at);
    return high * 0x1_0000_0000 + low;
  }

  i64(): number {
    const at = this.at;
    const low = this.u32();
    const high = this.i32();
    if (high >= 0x20_0000 || high < -0x20_0000) this.#tooLarge(at);
    return high * 0x1_0000_0000 + low;
  }

  bigU64(): bigint {
    const low = this.u32();
    return (BigInt(this.u32()) << 32n) | BigInt(low);
  }

  uleb(): number {
    const at = this.at;
    let value = 0;
    let unit = 1;
    for (let length = 1; length <= LONGEST_LEB; length++) {
      const byte = this.u8();
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER) this.#tooLarge(at);
      if (byte < 0x80) return value;
      unit *= 0x80;
    }
    return this.#tooLarge(at);
  }

  sleb(): number {
    const at = this.at;
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.u8();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value << (25 - shift)) >> (25 - shift);
    }
    this.at = at;
    return this.#longSleb();
  }

  skipLeb(): void {
    while (this.u8() >= 0x80);
  }

  /** Up to a zero byte, which is passed over. Bytes that are no UTF-8 are kept, as in `decodeBytes`. */
  cString(): string {
    const bytes = this.#bytes;
    const start = this.#take(0);
    let at = start;
    while (at < this.end && bytes[at] !== 0) at++;
    if (at >= this.end)
      throw new BadBinary(`the text at ${hex(start)} of ${this.#name} has no end`);
    this.at = at + 1;
    return decodeBytes(bytes.subarray(start, at));
  }

  skip(count: number): void {
    this.#take(count);
  }

  /** The next bytes: a view, not a copy. */
  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  #longSleb(): number {
    const at = this.at;
    let value = 0n;
    let bits = 0n;
    for (let length = 1; length <= LONGEST_LEB; length++) {
      const byte = this.u8();
      value |= BigInt(byte & 0x7f) << bits;
      bits += 7n;
      if (byte >= 0x80) continue;
      const signed = Number(BigInt.asIntN(Number(bits), value));
      return Number.isSafeInteger(signed) ? signed : this.#tooLarge(at);
    }
    return this.#tooLarge(at);
  }

  #take(count: number): number {
    const at = this.at;
    if (!(at >= 0 && count >= 0 && at + count <= this.end)) {
      throw new BadBinary(`${this.#name} ends at ${hex(this.end)}, in mid-value (${hex(at)})`);
    }
    this.at = at + count;
    return at;
  }

  #tooLarge(at: number): never {
    throw new BadBinary(`the number at ${hex(at)} of ${this.#name} is too large`);
  }
}
