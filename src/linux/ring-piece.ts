/**
 * A piece of a ring buffer, copied out of it: complete records, one after the other. Each has a
 * header of eight bytes (kernel/bpf/ringbuf.c): its length with two flags on top, and a page number
 * that is the kernel's own business. Records are padded to eight bytes.
 */

/** `BPF_RINGBUF_*`, <linux/bpf.h>. */
const BUSY = 0x8000_0000;
const DISCARDED = 0x4000_0000;
const HEADER_SIZE = 8;

/** A record is `length` bytes at `at`. */
export type Visit = (records: DataView, at: number, length: number) => void;

/** Whether the record with this header is still being written. */
export const isBusy = (header: number): boolean => (header & BUSY) !== 0;

/** With the header. */
export const sizeOfRecord = (header: number): number =>
  HEADER_SIZE + (((header & ~(BUSY | DISCARDED)) + 7) & ~7);

export class RingPiece {
  readonly #records: DataView;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#records = new DataView(buffer, byteOffset, byteLength);
  }

  get size(): number {
    return this.#records.byteLength;
  }

  /** Visits each record once, even if the visitor fails; how many there were. */
  visit(visit: Visit): number {
    let visited = 0;
    while (this.#at < this.size) {
      const at = this.#at;
      const header = this.#records.getUint32(at, true);
      this.#at += sizeOfRecord(header);
      visited += 1;
      if (header & DISCARDED) continue;
      visit(this.#records, at + HEADER_SIZE, header);
    }
    return visited;
  }
}
