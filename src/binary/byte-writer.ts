/**
 * Writes numbers and bytes, one after the other, little-endian: the reverse of `ByteReader`. What does
 * not fit is a bug of ours; so callers check distances before.
 */
import { assert } from '../base/assert.ts';

export class ByteWriter {
  #bytes = new Uint8Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  u16(value: number): void {
    this.u8(value & 0xff);
    this.u8((value >> 8) & 0xff);
  }

  u32(value: number): void {
    assert(Number.isInteger(value) && value >= 0 && value < 2 ** 32, `${value} is no u32`);
    this.#word(this.#length, value);
  }

  i32(value: number): void {
    assert(value === (value | 0), `${value} is no i32`);
    this.#word(this.#length, value);
  }

  u64(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, `${value} is no u64`);
    this.u32(value % 2 ** 32);
    this.u32(Math.floor(value / 2 ** 32));
  }

  uleb(value: number): void {
    assert(Number.isSafeInteger(value) && value >= 0, `${value} is no unsigned number`);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.u8((rest % 0x80) | 0x80);
    this.u8(rest);
  }

  sleb(value: number): void {
    assert(Number.isSafeInteger(value), `${value} is no number`);
    let rest = value;
    for (; rest < -0x40 || rest >= 0x40; rest = Math.floor(rest / 0x80)) {
      this.u8((rest - Math.floor(rest / 0x80) * 0x80) | 0x80);
    }
    this.u8(rest & 0x7f);
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Zeros up to a multiple of `size`. */
  alignTo(size: number): void {
    while (this.#length % size !== 0) this.u8(0);
  }

  /** Puts a number where another was written before it was known. */
  setI32(at: number, value: number): void {
    assert(value === (value | 0), `${value} is no i32`);
    assert(at >= 0 && at + 4 <= this.#length, `nothing was written at ${at}`);
    this.#store(at, value);
  }

  /** A copy of what was written so far. */
  written(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #word(at: number, value: number): void {
    this.#room(4);
    this.#length = at + 4;
    this.#store(at, value);
  }

  #store(at: number, value: number): void {
    for (let byte = 0; byte < 4; byte++) this.#bytes[at + byte] = (value >> (8 * byte)) & 0xff;
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}
