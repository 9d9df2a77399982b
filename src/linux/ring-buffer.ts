/**
 * Reads what BPF programs write into a ring buffer. The kernel shows it as memory: a page with our
 * position, a page with its own, then the data twice in a row, so that what runs over the end of the
 * ring can still be copied in one piece.
 *
 *   const ring = new RingBuffer(createMap({ type: 'ring-buffer', entries: 1 << 20, … }));
 *   ring.take()?.visit((records, at, length) => …);         // never waits
 */
import type { BpfMap } from './bpf.ts';
import { mapShared, type NativeMemory, release } from './native-memory.ts';
import { isBusy, RingPiece, sizeOfRecord } from './ring-piece.ts';

const PAGE = 4096;
/** How much is copied at a time. */
const PIECE = 1 << 20;

export class RingBuffer {
  readonly size: number;
  readonly #ours: NativeMemory;
  readonly #kernels: NativeMemory;
  readonly #consumed: BigInt64Array;
  readonly #produced: BigInt64Array;
  readonly #headers: Int32Array;
  readonly #data: Buffer;

  constructor(map: BpfMap) {
    this.size = map.entries;
    this.#ours = mapShared(map.fd, PAGE);
    this.#kernels = mapShared(map.fd, PAGE + 2 * this.size, PAGE, false);
    this.#consumed = new BigInt64Array(this.#ours.bytes.buffer, this.#ours.bytes.byteOffset, 1);
    const { buffer, byteOffset } = this.#kernels.bytes;
    this.#produced = new BigInt64Array(buffer, byteOffset, 1);
    this.#headers = new Int32Array(buffer, byteOffset + PAGE, (2 * this.size) / 4);
    this.#data = this.#kernels.bytes.subarray(PAGE);
  }

  /**
   * The oldest records that are complete, about PIECE bytes of them; the kernel gets their room
   * back. Ends at a record that is still being written; undefined if there is none before it.
   */
  take(): RingPiece | undefined {
    const begin = Number(Atomics.load(this.#consumed, 0));
    const end = Math.min(begin + PIECE, Number(Atomics.load(this.#produced, 0)));
    const start = begin % this.size;
    let size = 0;
    while (begin + size < end) {
      const header = Atomics.load(this.#headers, (start + size) / 4);
      if (isBusy(header)) break;
      size += sizeOfRecord(header);
    }
    if (size === 0) return undefined;
    const copy = Buffer.allocUnsafeSlow(size);
    this.#data.copy(copy, 0, start, start + size);
    Atomics.store(this.#consumed, 0, BigInt(begin + size));
    return new RingPiece(copy);
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
