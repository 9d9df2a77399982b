/**
 * Which blocks of the heap the variables of events are in. It is found out while the program runs, since nobody knows
 * afterwards; of a program that ends within a moment, it stays unknown.
 */
import { tryTo } from '../../base/result.ts';
import { type HeapBlock, heapBlockAt } from '../../debugger/heap-block.ts';
import { pid } from '../../linux/ids.ts';
import type { EventFile, RaceEvent } from './event-file.ts';
import type { InProgram } from './in-program.ts';

/** How long until the next look. */
const REST_MS = 20;
/** More variables than these are like some of them. */
const MOST_VARIABLES = 256;

export class HeapBlocks {
  readonly #file: EventFile;
  readonly #isInProgram: InProgram;
  /** By the address of a variable; undefined if it is not known which. */
  readonly #blocks = new Map<bigint, HeapBlock | undefined>();
  #events = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: EventFile, isInProgram: InProgram) {
    this.#file = file;
    this.#isInProgram = isInProgram;
  }

  /** Whatever goes wrong here is no reason to leave the program alone. */
  begin(): void {
    this.#timer = setTimeout(() => {
      void tryTo(() => this.#look());
      if (this.#blocks.size < MOST_VARIABLES) this.begin();
    }, REST_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  at(address: bigint): HeapBlock | undefined {
    return this.#blocks.get(address);
  }

  #look(): void {
    const events = this.#file.count;
    if (events === this.#events) return;
    this.#events = events;
    for (const event of this.#file.events()) this.#note(event);
  }

  #note({ address, lastPid }: RaceEvent): void {
    if (this.#blocks.has(address) || this.#isInProgram(address)) return;
    if (this.#blocks.size < MOST_VARIABLES) {
      this.#blocks.set(address, heapBlockAt(pid(lastPid), address));
    }
  }
}
