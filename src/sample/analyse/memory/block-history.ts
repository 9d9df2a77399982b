/**
 * Which block of the heap a granule belonged to, as time goes on: an address that was freed and allocated again is
 * something else, and what was done to it before has nothing to do with what is done now. Only granules that
 * matter are followed.
 *
 *   malloc(64) = 0x5000      generation 1 of 0x5000…
 *   free(0x5000)
 *   malloc(32) = 0x5000      generation 2
 *
 * The time of an allocation is known to lie between two times only; what another thread touches there meanwhile
 * may be the old or the new block, and belongs to none. An allocator on top of malloc tells of blocks in blocks:
 * the one that began last counts.
 */
import { growingFloats, growingWords } from '../growing.ts';
import { GRANULE } from './granule-table.ts';

const NOBODY = -1;
const NO_GENERATION = -1;
export const UNCERTAIN = -1;
/** Of a granule that no allocation was seen for: a global, a stack, or older than the log. */
export const NO_BLOCK = -1;
const PAGE = 4096;
const PAGE_BITS = 20;

export class BlockHistory {
  /** In order. */
  readonly #granules: Float64Array;
  readonly #generations: Int32Array;
  readonly #windows: Int32Array;
  /** Until then, only this thread knows which block it is. */
  readonly #uncertainUntil: Float64Array;
  readonly #knownTo: Int32Array;
  readonly #starts: Float64Array;
  readonly #sizes: Float64Array;
  readonly #numbers: Uint32Array;
  #allocations = 0;
  /** First and last granule of each block that has some. */
  readonly #blocks = new Map<number, { first: number; end: number }>();
  /** Pages, by a part of their numbers, that have granules, or that such blocks start in. */
  readonly #pages = new Uint8Array(1 << PAGE_BITS);
  readonly #startPages = new Uint8Array(1 << PAGE_BITS);
  /** Of each generation. */
  readonly granuleOf = growingWords();
  readonly blockStarts = growingFloats();
  readonly blockSizes = growingFloats();
  /** Blocks are numbered as they come; 0 for what is none. */
  readonly blockNumbers = growingWords();

  constructor(granules: Float64Array) {
    const { length } = granules;
    this.#granules = granules;
    this.#generations = new Int32Array(length).fill(NO_GENERATION);
    this.#windows = new Int32Array(length);
    this.#uncertainUntil = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
    this.#knownTo = new Int32Array(length).fill(NOBODY);
    this.#starts = new Float64Array(length).fill(NO_BLOCK);
    this.#sizes = new Float64Array(length);
    this.#numbers = new Uint32Array(length);
    for (const granule of granules) this.#pages[pageBits(granule * GRANULE)] = 1;
  }

  get generations(): number {
    return this.granuleOf.length;
  }

  allocated(address: number, size: number, from: number, to: number, thread: number): void {
    if (!this.#mayHaveGranules(address, size)) return;
    const first = this.#firstFrom(Math.floor(address / GRANULE));
    let end = first;
    this.#allocations++;
    const last = address + Math.max(size, 1);
    for (; end < this.#granules.length && this.#granules[end]! * GRANULE < last; end++) {
      this.#renew(end, from, to, thread, address, size);
      this.#numbers[end] = this.#allocations;
    }
    if (end === first) return;
    this.#blocks.set(address, { first, end });
    this.#startPages[pageBits(address)] = 1;
  }

  freed(address: number, from: number, to: number, thread: number): void {
    if (this.#startPages[pageBits(address)] === 0) return;
    const block = this.#blocks.get(address);
    if (block === undefined) return;
    this.#blocks.delete(address);
    for (let at = block.first; at < block.end; at++) this.#renew(at, from, to, thread, NO_BLOCK, 0);
  }

  /** Of the granule with that place in the order; UNCERTAIN if it cannot be told. */
  generationAt(granule: number, time: number, thread: number, window: number): number {
    const isUncertain = time <= this.#uncertainUntil[granule]! && this.#knownTo[granule] !== thread;
    if (isUncertain) return UNCERTAIN;
    const known = this.#generations[granule]!;
    if (known !== NO_GENERATION && this.#windows[granule] === window) return known;
    const generation = this.granuleOf.length;
    this.granuleOf.push(granule);
    this.blockStarts.push(this.#starts[granule]!);
    this.blockSizes.push(this.#sizes[granule]!);
    this.blockNumbers.push(this.#numbers[granule]!);
    this.#generations[granule] = generation;
    this.#windows[granule] = window;
    return generation;
  }

  #renew(
    granule: number,
    from: number,
    to: number,
    thread: number,
    start: number,
    size: number,
  ): void {
    this.#generations[granule] = NO_GENERATION;
    this.#starts[granule] = start;
    this.#sizes[granule] = size;
    this.#numbers[granule] = 0;
    const isStillUncertain = from <= this.#uncertainUntil[granule]!;
    const isOther = isStillUncertain && this.#knownTo[granule] !== thread;
    this.#knownTo[granule] = isOther ? NOBODY : thread;
    this.#uncertainUntil[granule] = isStillUncertain
      ? Math.max(to, this.#uncertainUntil[granule]!)
      : to;
  }

  #mayHaveGranules(address: number, size: number): boolean {
    if (size > PAGE) return true;
    const last = address + Math.max(size, 1) - 1;
    return this.#pages[pageBits(address)] !== 0 || this.#pages[pageBits(last)] !== 0;
  }

  #firstFrom(granule: number): number {
    let [low, high] = [0, this.#granules.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#granules[middle]! >= granule) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const pageBits = (address: number): number => Math.floor(address / PAGE) % (1 << PAGE_BITS);
