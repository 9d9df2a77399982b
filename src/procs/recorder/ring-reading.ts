/**
 * When to read what the kernel has recorded. An event that finds no room in the ring is lost, so it
 * is emptied into memory all the time, which costs next to nothing. To make records of what was
 * collected takes a processor that the program may need; so that is done
 *
 *   when a processor is idle anyway,
 *   when more has been collected than should be kept in memory,
 *   now and then, to know who is alive,
 *   and at the end.
 */
import { SpareTime } from '../../linux/spare-time.ts';
import type { BpfRecorder } from './bpf/bpf-recorder.ts';

const MOST_COLLECTED = 128 << 20;
/** Of the ring: if it was fuller than this, the next look comes sooner. */
const FULL = 1 / 8;
const PAUSE_MS = 20;
const SHORT_PAUSE_MS = 2;
/** How long who is alive may stay unknown: while the program itself is there, and after its end. */
const LONGEST_DELAY_MS = 10_000;
const LONGEST_DELAY_AFTER_MS = 100;

export class RingReading {
  readonly #recorder: BpfRecorder;
  readonly #spare = new SpareTime();
  #lastRead = Date.now();

  constructor(recorder: BpfRecorder) {
    this.#recorder = recorder;
  }

  /** Does what there is to do; for how many milliseconds there is nothing more. */
  poll(isProgramThere: boolean): number {
    const wasFull = this.#recorder.fullness > FULL;
    this.#recorder.collect();
    const longest = isProgramThere ? LONGEST_DELAY_MS : LONGEST_DELAY_AFTER_MS;
    if (Date.now() - this.#lastRead > longest) this.readNow();
    if (this.#mayRead() && this.#recorder.pollPiece() > 0) return 0;
    return wasFull ? SHORT_PAUSE_MS : PAUSE_MS;
  }

  readNow(): void {
    this.#recorder.poll();
    this.#lastRead = Date.now();
  }

  #mayRead(): boolean {
    const { collected } = this.#recorder;
    return collected > MOST_COLLECTED || (collected > 0 && this.#spare.isThere());
  }
}
