/**
 * Where locks lie that somebody held. A lock of the program's own making that it tells of by include/deadheat.h is a word
 * that its code changes, with atomic instructions and plain stores, by all threads and under no lock:
 *
 *   while (atomic_exchange(&word, 1));  deadheat_lock(&word);  …  deadheat_unlock(&word);  atomic_store(&word, 0);
 *
 * That is no race. As the memory may be something else later, it counts for the generation in which it was a lock.
 */
import { type Locksets, lockAddress } from '../logs/locksets.ts';
import type { BlockHistory } from './block-history.ts';
import type { GranuleIndex } from './granule-index.ts';
import { GRANULE } from './granule-table.ts';

interface Word {
  /** Of its granule, in the order of those that matter. */
  readonly place: number;
  readonly byte: number;
}

export class LockWords {
  readonly #locksets: Locksets;
  readonly #index: GranuleIndex;
  readonly #history: BlockHistory;
  /** By lockset: those in granules that matter, which is hardly any. */
  readonly #words: (readonly Word[] | undefined)[] = [];
  /** By generation: their bytes. */
  readonly #bytes = new Map<number, number>();

  constructor(locksets: Locksets, index: GranuleIndex, history: BlockHistory) {
    this.#locksets = locksets;
    this.#index = index;
    this.#history = history;
  }

  /** A sample that held them. */
  note(lockset: number, time: number, thread: number, window: number): void {
    this.#words[lockset] ??= this.#wordsOf(lockset);
    for (const { place, byte } of this.#words[lockset]) {
      const generation = this.#history.generationAt(place, time, thread, window);
      if (generation >= 0)
        this.#bytes.set(generation, (this.#bytes.get(generation) ?? 0) | (1 << byte));
    }
  }

  /** `field`: the bytes of the granule, as a mask. */
  has(generation: number, field: number): boolean {
    return ((this.#bytes.get(generation) ?? 0) & field) !== 0;
  }

  #wordsOf(lockset: number): Word[] {
    return this.#locksets.locksOf(lockset).flatMap((lock) => {
      const address = lockAddress(lock);
      const place = this.#index.find(Math.floor(address / GRANULE));
      return place < 0 ? [] : [{ place, byte: address % GRANULE }];
    });
  }
}
