/**
 * Which block of glibc's heap an address is in, seen from outside while the program runs. A heap is a row of chunks,
 * each of which begins with how long it is, its lowest bits saying of what kind:
 *
 *   +0x000   0x291    the first chunk            1: the one before it is in use
 *   +0x290   0x021    24 bytes for the program   2: mapped by itself, as large blocks are
 *   +0x2b0   0x031    40 bytes                   4: of a heap that another thread than the first began, and in use
 *
 * As there is always somebody who allocates, the row may seem to be broken; and the program may have an allocator of its
 * own. Then nothing is known.
 */
import { type Pid, tid, traceeAddress } from '../linux/ids.ts';
import { type Mapping, mappingsOf } from '../linux/memory-maps.ts';
import { readMemory } from '../linux/process-memory.ts';

export interface HeapBlock {
  readonly start: bigint;
  /** As the program may use it: up to 15 bytes more than it has asked for. */
  readonly size: number;
}

const IN_USE = 1;
const MAPPED = 2;
const FLAGS = 7;
const WORD = 8;
const SMALLEST_CHUNK = 32;
const CHUNK_STEP = 16;
const PAGE = 4096;
/** Heaps of other threads begin at multiples of this, and are no larger. */
const OTHER_HEAP_SIZE = 64 << 20;
/** What glibc keeps before the chunks of such a heap is smaller. */
const LARGEST_HEADER = PAGE;
/** What is further from where one could begin to look is not looked for. */
const FARTHEST = 256 << 20;
const PIECE = 1 << 20;

export function heapBlockAt(process: Pid, address: bigint): HeapBlock | undefined {
  const mapping = mappingsOf(process).find(({ start, end }) => address >= start && address < end);
  if (mapping === undefined) return undefined;
  const words = new Words(process, mapping);
  const found = chunkAround(words, mapping, Number(address));
  if (found === undefined) return undefined;
  // The length that stands before the next chunk is the program's as long as this one is in use; not if it was mapped.
  const start = found.at + 2 * WORD;
  const end = found.at + found.size + (found.isMapped ? 0 : WORD);
  const isInside = Number(address) >= start && Number(address) < end;
  return isInside ? { start: BigInt(start), size: end - start } : undefined;
}

interface Chunk {
  readonly at: number;
  readonly size: number;
  readonly isMapped: boolean;
}

function chunkAround(words: Words, { start, path }: Mapping, address: number): Chunk | undefined {
  const low = Number(start);
  if (path === '[heap]') return inRow(words, low, address);
  if (path !== '') return undefined;
  const base = address - (address % OTHER_HEAP_SIZE);
  const first = base < low ? undefined : firstOfOtherHeap(words, base);
  const found = first === undefined ? undefined : inRow(words, first, address);
  return found ?? mappedAround(words, low, address);
}

function firstOfOtherHeap(words: Words, base: number): number | undefined {
  for (let at = base; at < base + LARGEST_HEADER; at += CHUNK_STEP) {
    const word = words.at(at + WORD);
    if (word === undefined) return undefined;
    if ((word & (IN_USE | MAPPED)) === IN_USE && isLength(word)) return at;
  }
  return undefined;
}

const isLength = (word: number): boolean => {
  const size = word - (word % WORD);
  return size >= SMALLEST_CHUNK && size <= FARTHEST && size % CHUNK_STEP === 0;
};

function inRow(words: Words, first: number, address: number): Chunk | undefined {
  if (address - first > FARTHEST) return undefined;
  for (let at = first; at <= address; ) {
    const word = words.at(at + WORD);
    if (word === undefined || !isLength(word) || (word & MAPPED) !== 0) return undefined;
    const size = word - (word % WORD);
    // The first word of the next chunk is the last of this one.
    if (address < at + size + WORD) return { at, size, isMapped: false };
    at += size;
  }
  return undefined;
}

/** It has pages for itself, and begins with one. */
function mappedAround(words: Words, low: number, address: number): Chunk | undefined {
  const lowest = Math.max(low, address - FARTHEST);
  for (let at = address - (address % PAGE); at >= lowest; at -= PAGE) {
    const word = words.at(at + WORD);
    if (word === undefined) return undefined;
    const size = word - (word % WORD);
    const isOne = (word & FLAGS) === MAPPED && size % PAGE === 0 && words.at(at) === 0;
    if (isOne && at + size > address) return { at, size, isMapped: true };
  }
  return undefined;
}

/** What is mapped, a piece at a time. */
class Words {
  readonly #process: Pid;
  readonly #low: number;
  readonly #end: number;
  #from = 0;
  #piece: Buffer = Buffer.alloc(0);

  constructor(process: Pid, { start, end }: Mapping) {
    this.#process = process;
    this.#low = Number(start);
    this.#end = Number(end);
  }

  /** undefined where there is none; what is no length of anything may come out rounded. */
  at(address: number): number | undefined {
    if (!this.#has(address)) {
      this.#from = Math.max(this.#low, address - (address % PIECE));
      const size = Math.min(PIECE, this.#end - this.#from);
      this.#piece = readMemory(tid(this.#process), traceeAddress(BigInt(this.#from)), size);
      if (!this.#has(address)) return undefined;
    }
    const offset = address - this.#from;
    return this.#piece.readUInt32LE(offset) + this.#piece.readUInt32LE(offset + 4) * 2 ** 32;
  }

  #has(address: number): boolean {
    return address >= this.#from && address + WORD <= this.#from + this.#piece.length;
  }
}
