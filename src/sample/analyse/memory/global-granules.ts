/**
 * Granules of globals, by image and place in it: the same in all processes and runs. One that a single thread has
 * touched in each of two runs may still be contested, if those were different threads.
 */
import type { LoadedImages } from '../code/loaded-images.ts';
import type { SampledProcess } from '../sampled-process.ts';
import { GRANULE, type GranuleTable } from './granule-table.ts';

/** No image is larger. */
const LARGEST_IMAGE = 2 ** 36;

interface Touched {
  readonly thread: number;
  readonly process: number;
  isShared: boolean;
  isWritten: boolean;
}

export class GlobalGranules {
  readonly #touched = new Map<number, Touched>();
  #processes = 0;

  /** Of a process, what its first walk has found. */
  learn(granules: GranuleTable, images: LoadedImages, process: SampledProcess): void {
    const number = this.#processes++;
    granules.forEach((granule, thread, isShared, isWritten) => {
      const key = this.#numberOf(images, granule);
      if (key === undefined) return;
      const name = process.logs[thread]!.header.thread;
      const known = this.#touched.get(key);
      if (known === undefined) {
        this.#touched.set(key, { thread: name, process: number, isShared, isWritten });
        return;
      }
      known.isShared ||= isShared || known.thread !== name;
      known.isWritten ||= isWritten;
    });
  }

  /** In order: those of a process that are worth a second look. */
  granulesOf(granules: GranuleTable, images: LoadedImages, isOneOfMany: boolean): Float64Array {
    const chosen: number[] = [];
    granules.forEach((granule, _, isShared, isWritten) => {
      if ((isShared && isWritten) || (isOneOfMany && this.#isContested(images, granule))) {
        chosen.push(granule);
      }
    });
    return Float64Array.from(chosen).sort();
  }

  /** Of the granule at an address: the same in all processes; undefined if it is in no image. */
  keyOf(images: LoadedImages, address: number): string | undefined {
    const key = this.#numberOf(images, Math.floor(address / GRANULE));
    return key === undefined ? undefined : `global ${key}`;
  }

  #isContested(images: LoadedImages, granule: number): boolean {
    const key = this.#numberOf(images, granule);
    const known = key === undefined ? undefined : this.#touched.get(key);
    return known?.isShared === true && known.isWritten;
  }

  #numberOf(images: LoadedImages, granule: number): number | undefined {
    const loaded = images.at(granule * GRANULE);
    if (loaded === undefined) return undefined;
    return loaded.stored.number * LARGEST_IMAGE + (granule * GRANULE - loaded.loadBase);
  }
}
