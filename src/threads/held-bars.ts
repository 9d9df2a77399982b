/** Which locks threads hold while somebody goes through a trace, and from which mark of a picture to which. */
import { Op } from './model/op.ts';

export interface HeldBar {
  readonly lane: number;
  readonly lock: number;
  readonly isShared: boolean;
  readonly from: number;
  readonly to: number;
}

export class HeldBars {
  /** By thread, in the order in which they were taken; a lock that is taken twice is there twice. */
  readonly #held = new Map<number, { lock: number; isShared: boolean; from: number }[]>();
  readonly #bars: HeldBar[] = [];

  /** `place`: of the event's own mark, or of the next one that is drawn. */
  note(lane: number, op: number, lock: number, place: number): void {
    if (op === Op.acquire || op === Op.acquireShared) {
      const taken = { lock, isShared: op === Op.acquireShared, from: place };
      const held = this.#held.get(lane);
      if (held) held.push(taken);
      else this.#held.set(lane, [taken]);
    } else if (op === Op.release || op === Op.releaseShared) {
      const held = this.#held.get(lane) ?? [];
      const index = held.findLastIndex((one) => one.lock === lock);
      if (index >= 0) this.#close(lane, held.splice(index, 1)[0]!, place);
    }
  }

  of(lane: number): number[] {
    return [...new Set((this.#held.get(lane) ?? []).map(({ lock }) => lock))];
  }

  /** All of them; those that nobody has let go of end at the last mark. */
  finish(last: number): readonly HeldBar[] {
    for (const [lane, held] of this.#held) {
      for (const one of held.splice(0)) this.#close(lane, one, last);
    }
    return this.#bars;
  }

  #close(
    lane: number,
    { lock, isShared, from }: { lock: number; isShared: boolean; from: number },
    to: number,
  ): void {
    // Otherwise it was held while nothing was drawn.
    if (from < to) this.#bars.push({ lane, lock, isShared, from, to });
  }
}
