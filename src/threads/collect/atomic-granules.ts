/** The granules that any atomic operation has touched, whatever was in them at other times. */
import { firstAbove } from './growing.ts';
import { PaintedMemory } from './painted-memory.ts';

export class AtomicGranules {
  readonly #numbers = new PaintedMemory();
  /** Addresses of granules: in the order of their numbers, until they are sorted. */
  #found: number[] = [];
  #sorted = new Float64Array(0);

  get count(): number {
    return this.#found.length;
  }

  add(address: number, size: number): void {
    const end = address + Math.max(1, size);
    for (let at = address - (address & 7); at < end; at += 8) {
      if (this.#numbers.at(at) !== 0) continue;
      this.#found.push(at);
      this.#numbers.paint(at, 8, this.#found.length);
    }
  }

  close(): void {
    this.#sorted = Float64Array.from(this.#found).sort();
  }

  has(address: number): boolean {
    return this.#numbers.at(address) !== 0;
  }

  /** The addresses of those in [address, address + size). */
  *within(address: number, size: number): Generator<number> {
    const first = address - (address & 7);
    let at = firstAbove(this.#sorted, this.#sorted.length, first - 1);
    for (; at < this.#sorted.length && this.#sorted[at]! < address + size; at++) {
      yield this.#sorted[at]!;
    }
  }
}
