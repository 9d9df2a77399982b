/**
 * Which generation (`lifetimes.ts`) each granule belongs to while time goes on. What is freed gets a number of
 * its own, above those of all allocations: nobody should touch it, but what somebody does to it has nothing to
 * do with what was there before.
 */
import type { Lifetimes } from './lifetimes.ts';
import { PaintedMemory } from './painted-memory.ts';

export class LivingMemory {
  readonly #lifetimes: Lifetimes;
  readonly #generations = new PaintedMemory();
  #last: number;

  constructor(lifetimes: Lifetimes) {
    this.#lifetimes = lifetimes;
    this.#last = lifetimes.count;
  }

  at(address: number): number {
    return this.#generations.at(address);
  }

  allocate(generation: number): void {
    const { addresses, sizes } = this.#lifetimes;
    this.#generations.paint(addresses[generation]!, sizes[generation]!, generation);
  }

  free(address: number, size: number): void {
    this.#generations.paint(address, size, ++this.#last);
  }

  isAllocated(generation: number): boolean {
    return generation !== 0 && generation <= this.#lifetimes.count;
  }

  /** When another thread first frees some of what is there now. */
  endByOthers(thread: number, address: number, length: number): number {
    const { deaths, endedBy } = this.#lifetimes;
    let end = Number.POSITIVE_INFINITY;
    this.#generations.look(address, length, (generation) => {
      if (!this.isAllocated(generation) || endedBy[generation] === thread) return;
      end = Math.min(end, deaths[generation]!);
    });
    return end;
  }
}
