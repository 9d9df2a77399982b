/**
 * What the kernel has recorded and nobody has read yet: in the ring, which must not run full, and in
 * pieces that were copied from it. To copy an event costs a hundredth of reading it, so that can be
 * done at any time; reading waits for a better one.
 */
import type { RingBuffer } from '../../../linux/ring-buffer.ts';
import type { RingPiece, Visit } from '../../../linux/ring-piece.ts';

export class Backlog {
  readonly #ring: RingBuffer;
  readonly #pieces: RingPiece[] = [];
  #bytes = 0;

  constructor(ring: RingBuffer) {
    this.#ring = ring;
  }

  /** Bytes outside of the ring. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Empties the ring; no longer than until there is as much as the whole ring can hold. */
  collect(): void {
    let left = this.#ring.size;
    while (left > 0) {
      const piece = this.#ring.take();
      if (!piece) return;
      this.#pieces.push(piece);
      this.#bytes += piece.size;
      left -= piece.size;
    }
  }

  /** Visits the oldest piece; how many events that were. */
  visitPiece(visit: Visit): number {
    if (this.#pieces.length === 0) return this.#ring.take()?.visit(visit) ?? 0;
    const piece = this.#pieces.shift()!;
    this.#bytes -= piece.size;
    return piece.visit(visit);
  }
}
