/**
 * Notices that it is no use to wait any longer: nobody moves, and nobody is about to (liveliness.ts), or nothing
 * of interest has happened for much longer, though threads run or sleep for a time.
 */
import type { Tid } from '../../linux/ids.ts';
import { Liveliness } from './liveliness.ts';
import type { StandOffLimits } from './side.ts';

/** How things are at the moment. */
export interface Situation {
  /** Changes whenever something of interest happens. */
  readonly mark: string;
  /** Those who are not kept from moving by us. */
  readonly tasks: readonly Tid[];
  /** Whether we keep anybody: otherwise it is the program's own affair that nobody moves. */
  readonly keepsSomebody: boolean;
}

export class StallWatch {
  readonly #limits: StandOffLimits;
  readonly #liveliness = new Liveliness();
  #mark = '';
  #lastProgress: number;
  #lastMove: number;

  constructor(limits: StandOffLimits, now: number) {
    this.#limits = limits;
    this.#lastProgress = now;
    this.#lastMove = now;
  }

  /** To be asked again and again. After a stall, it begins anew. */
  isStalled({ mark, tasks, keepsSomebody }: Situation, now: number): boolean {
    if (mark !== this.#mark) {
      this.#mark = mark;
      this.#lastProgress = now;
      this.#lastMove = now;
    }
    if (this.#liveliness.isMoving(tasks)) this.#lastMove = now;
    const { stallMs, patienceMs } = this.#limits;
    const isQuiet = keepsSomebody && now - this.#lastMove > stallMs;
    if (!isQuiet && now - this.#lastProgress <= patienceMs) return false;
    this.#lastMove = now;
    this.#lastProgress = now;
    return true;
  }
}
