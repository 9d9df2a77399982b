/**
 * Reads what BPF programs write into a ring buffer. The kernel shows it as memory: a page with our
 * position, a page with its own, then the data twice in a row, so that a record that runs over the
 * end of the ring can still be read in one piece.
 *
 *   const ring = new RingBuffer(createMap({ type: 'ring-buffer', entries: 1 << 20, … }));
 *   ring.drain((ring, at, length) => …);         // returns how many there were; never waits
 *
 * Each record has a header of eight bytes (kernel/bpf/ringbuf.c): its length with two flags on top,
 * and a page number that is the kernel's own business. Records are padded to eight bytes.
 */
import type { BpfMap } from './bpf.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';

/** `BPF_RINGBUF_*`, <linux/bpf.h>. */
const BUSY = 0x8000_0000;
const DISCARDED = 0x4000_0000;
const HEADER_SIZE = 8;

const PAGE = 4096;
/** How much is read at a time. */
const PIECE = 512 << 10;

/** A record is `length` bytes at `at`. */
type Visit = (ring: DataView, at: number, length: number) => void;

export class RingBuffer {
  readonly size: number;
  readonly #ours: NativeMemory;
  readonly #kernels: NativeMemory;
  readonly #consumed: BigInt64Array;
  readonly #produced: BigInt64Array;
  readonly #headers: Int32Array;
  readonly #data: DataView;

  constructor(map: BpfMap) {
    this.size = map.entries;
    this.#ours = mapShared(map.fd, PAGE);
    this.#kernels = mapShared(map.fd, PAGE + 2 * this.size, PAGE, false);
    this.#consumed = new BigInt64Array(this.#ours.bytes.buffer, this.#ours.bytes.byteOffset, 1);
    const { buffer, byteOffset } = this.#kernels.bytes;
    this.#produced = new BigInt64Array(buffer, byteOffset, 1);
    this.#headers = new Int32Array(buffer, byteOffset + PAGE, (2 * this.size) / 4);
    this.#data = new DataView(buffer, byteOffset + PAGE, 2 * this.size);
  }

  /**
   * Visits every record that is complete, oldest first. The bytes are the ring's own and will be
   * overwritten: whoever keeps them must copy them. Ends at a record that is still being written.
   */
  drain(visit: Visit): number {
    let visited = 0;
    for (let piece = this.#drainPiece(visit); piece > 0; piece = this.#drainPiece(visit)) {
      visited += piece;
    }
    return visited;
  }

  /** At most PIECE bytes, and then tells the kernel, so that it gets room back while we work. */
  #drainPiece(visit: Visit): number {
    let visited = 0;
    const begin = Number(Atomics.load(this.#consumed, 0));
    const end = Math.min(begin + PIECE, Number(Atomics.load(this.#produced, 0)));
    let position = begin;
    try {
      while (position < end) {
        const start = position % this.size;
        const header = Atomics.load(this.#headers, start / 4) >>> 0;
        if (header & BUSY) break;
        const length = header & ~DISCARDED;
        position += HEADER_SIZE + Math.ceil(length / 8) * 8;
        visited += 1;
        if (header & DISCARDED) continue;
        visit(this.#data, start + HEADER_SIZE, length);
      }
    } finally {
      if (position !== begin) Atomics.store(this.#consumed, 0, BigInt(position));
    }
    return visited;
  }

  /** Bytes that are waiting to be read. */
  get backlog(): number {
    return Number(Atomics.load(this.#produced, 0) - Atomics.load(this.#consumed, 0));
  }

  /** The map itself stays open. */
  close(): void {
    release(this.#ours);
    release(this.#kernels);
  }
}
