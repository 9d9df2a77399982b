/**
 * The lives of memory: an allocation makes a new *generation* at its addresses, and what was there before has
 * nothing to do with it. Generation 0 is memory of which no log has an allocation.
 *
 * A log tells an allocation's place in the order (`order-key.ts`), but not its place among the accesses of its
 * thread, since it may stand there late. So a thread's own allocation counts from the beginning of the
 * segment in which it was made. It cannot begin before its memory was somebody else's, though:
 *
 *   thread 1   lock 10  write p          free p 14
 *   thread 2   lock 8                              p = malloc 16   write p   unlock 20
 *
 * Thread 2's segment begins at 8, its block at 14. The write to p then has to wait until then; `late` has such
 * blocks.
 */
import type { ThreadLook } from './first-look.ts';
import { firstAbove } from './growing.ts';
import type { MemoryOperations } from './memory-operations.ts';
import { PaintedMemory } from './painted-memory.ts';

const FOREVER = Number.POSITIVE_INFINITY;

/** A generation that begins in the midst of its thread's own segment. */
export interface LateGeneration {
  readonly start: number;
  readonly end: number;
  readonly birth: number;
}

export class Lifetimes {
  /** Columns of generations: 1, 2, … in the order of their allocations. */
  readonly addresses: number[] = [0];
  readonly sizes: number[] = [0];
  readonly callers: number[] = [0];
  readonly threads: number[] = [0];
  readonly births: number[] = [0];
  readonly deaths: number[] = [FOREVER];
  /** Who has freed it, or -1. */
  readonly endedBy: number[] = [-1];
  /** Generations from 1 on, in the order of their births. */
  readonly byBirth: Uint32Array;
  readonly #late = new Map<number, Map<number, LateGeneration[]>>();

  constructor(operations: MemoryOperations, threads: readonly ThreadLook[]) {
    /** By address, the generation that begins there and is not freed. */
    const alive = new Map<number, number>();
    /** By granule, one more than the number of what happened to it last. */
    const last = new PaintedMemory();
    for (const one of operations.inOrder()) {
      const address = operations.addresses.items[one]!;
      const size = operations.sizes.items[one]!;
      const key = operations.keys.items[one]!;
      const thread = operations.threads.items[one]!;
      if (operations.frees.items[one]) {
        const generation = alive.get(address);
        if (generation !== undefined) {
          this.deaths[generation] = key;
          this.endedBy[generation] = thread;
          alive.delete(address);
        }
      } else {
        let before = 0;
        last.look(address, size, (color) => {
          if (color !== 0) before = Math.max(before, operations.keys.items[color - 1]!);
        });
        alive.set(address, this.births.length);
        this.#add(operations, one, threads[thread]!, before);
      }
      last.paint(address, size, one + 1);
    }
    const births = this.births;
    this.byBirth = Uint32Array.from({ length: this.count }, (_, i) => i + 1).sort(
      (a, b) => births[a]! - births[b]! || a - b,
    );
  }

  /** Without generation 0. */
  get count(): number {
    return this.births.length - 1;
  }

  /** Of a thread's own, in one of its segments. */
  lateIn(thread: number, segment: number): readonly LateGeneration[] | undefined {
    return this.#late.get(thread)?.get(segment);
  }

  #add(operations: MemoryOperations, one: number, thread: ThreadLook, before: number): void {
    const key = operations.keys.items[one]!;
    const segment = firstAbove(thread.keys.items, thread.keys.length, key);
    const birth = Math.max(before, thread.startOf(segment));
    const address = operations.addresses.items[one]!;
    const size = operations.sizes.items[one]!;
    this.addresses.push(address);
    this.sizes.push(size);
    this.callers.push(operations.callers.items[one]!);
    this.threads.push(operations.threads.items[one]!);
    this.births.push(birth);
    this.deaths.push(FOREVER);
    this.endedBy.push(-1);
    if (birth > thread.startOf(segment)) {
      this.#addLate(operations.threads.items[one]!, segment, address, address + size, birth);
    }
  }

  #addLate(thread: number, segment: number, start: number, end: number, birth: number): void {
    const segments = this.#late.get(thread) ?? new Map<number, LateGeneration[]>();
    this.#late.set(thread, segments);
    const late = segments.get(segment) ?? [];
    segments.set(segment, late);
    late.push({ start, end, birth });
  }
}
