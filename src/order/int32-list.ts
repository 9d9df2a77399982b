import { assert } from '../base/assert.ts';

/**
 * A list of 32-bit integers at four bytes each, without holes, that grows at its end. A plain
 * `number[]` takes eight, and the garbage collector walks through it again and again.
 *
 * While it grows, the old and the new copy exist side by side for a moment.
 */
export class Int32List {
  #words = new Int32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    assert(index >= 0 && index < this.#length, 'index outside the list');
    return this.#words[index]!;
  }

  set(index: number, value: number): void {
    assert(index >= 0 && index < this.#length, 'index outside the list');
    this.#words[index] = value;
  }

  push(value: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Int32Array(this.#length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length++] = value;
  }
}
