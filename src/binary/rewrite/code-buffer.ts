/**
 * Machine code under construction, as part of a blob. Knows where it will stand, so that it can point into
 * the image; and keeps a list of the places where the agent has to add something when it loads the blob.
 */
export class CodeBuffer {
  /** Where the blob will be, as an address of the image: the distance between the two is fixed. */
  readonly base: number;
  #bytes = Buffer.alloc(1 << 16);
  #length = 0;
  #codeSize = 0;
  /** Places of 32-bit offsets in the thread's state, to which its distance from fs:0 has to be added. */
  readonly threadOffsets: number[] = [];
  /** Places of groups' numbers, to which those of images before this one have to be added. */
  readonly groupNumbers: number[] = [];

  constructor(base: number) {
    this.base = base;
  }

  /** How much there is: where the next byte goes, relative to the blob. */
  get length(): number {
    return this.#length;
  }

  /** Where the next byte goes, as an address of the image. */
  get address(): number {
    return this.base + this.#length;
  }

  /** What follows is data. */
  endCode(): void {
    this.#codeSize = this.#length;
  }

  get codeSize(): number {
    return this.#codeSize;
  }

  bytes(...values: readonly number[]): void {
    this.#reserve(values.length);
    for (const value of values) this.#bytes[this.#length++] = value;
  }

  copy(source: Uint8Array, from = 0, to = source.length): void {
    this.#reserve(to - from);
    // Too short for Buffer.copy to be worth its call.
    for (let at = from; at < to; at++) this.#bytes[this.#length++] = source[at]!;
  }

  i32(value: number): void {
    this.#reserve(4);
    this.#bytes.writeInt32LE(value, this.#length);
    this.#length += 4;
  }

  i64(value: number): void {
    this.#reserve(8);
    this.#bytes.writeBigInt64LE(BigInt(value), this.#length);
    this.#length += 8;
  }

  /** The 32 bits that lead from `at` + 4, the end of most instructions, to an address of the image. */
  pointTo(address: number, at: number, end = at + 4): void {
    this.#bytes.writeInt32LE(address - (this.base + end), at);
  }

  /** One that is there already. */
  setByte(at: number, value: number): void {
    this.#bytes[at] = value;
  }

  align(to: number, filling: number): void {
    while (this.#length % to !== 0) this.bytes(filling);
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
