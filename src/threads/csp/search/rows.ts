/** Rows of numbers of one width, each kept once, by number: a hash table over one growing array. */
import type { Row } from './machine.ts';

const EMPTY = -1;

export class Rows {
  readonly #width: number;
  #cells: Int32Array;
  #table = new Int32Array(1024).fill(EMPTY);
  #count = 0;

  constructor(width: number) {
    this.#width = width;
    this.#cells = new Int32Array(256 * width);
  }

  get count(): number {
    return this.#count;
  }

  /** A copy. */
  at(number: number): Row {
    return this.#cells.slice(number * this.#width, (number + 1) * this.#width);
  }

  /** Its number; a new one if it was not there, which `count` then tells. */
  numberOf(row: Row): number {
    if (2 * this.#count >= this.#table.length) this.#growTable();
    const slot = this.#slotOf(row);
    const known = this.#table[slot]!;
    if (known !== EMPTY) return known;
    if ((this.#count + 1) * this.#width > this.#cells.length) {
      const larger = new Int32Array(2 * this.#cells.length + this.#width);
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#cells.set(row, this.#count * this.#width);
    this.#table[slot] = this.#count;
    return this.#count++;
  }

  #slotOf(row: Row): number {
    const mask = this.#table.length - 1;
    let slot = hashOf(row) & mask;
    while (this.#table[slot] !== EMPTY && !this.#isAt(row, this.#table[slot]!)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #isAt(row: Row, number: number): boolean {
    const start = number * this.#width;
    for (let i = 0; i < this.#width; i++) if (this.#cells[start + i] !== row[i]) return false;
    return true;
  }

  #growTable(): void {
    this.#table = new Int32Array(2 * this.#table.length).fill(EMPTY);
    for (let i = 0; i < this.#count; i++) this.#table[this.#slotOf(this.at(i))] = i;
  }
}

function hashOf(row: Row): number {
  let hash = 0x811c9dc5;
  for (const cell of row) hash = Math.imul(hash ^ cell, 0x01000193) ^ (hash >>> 15);
  return hash >>> 1;
}
