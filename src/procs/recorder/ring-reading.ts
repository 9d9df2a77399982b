/**
 * When to read what the kernel has recorded. Reading costs more than recording, and takes processors
 * from the program that is being recorded; so it is done with the lowest priority, in processors'
 * idle moments and at the end, unless the ring fills up: an event that finds no room is lost.
 *
 *   less than half full     let it be
 *   up to three quarters    read, after everybody else
 *   more                    read like everybody else
 */
import { setPriority } from 'node:os';
import { tryTo } from '../../base/result.ts';
import type { BpfRecorder } from './bpf/bpf-recorder.ts';

const WORTH_READING = 1 / 2;
const URGENT = 3 / 4;
/** How long who is alive may stay unknown: while the program itself is there, and after its end. */
const LONGEST_DELAY_MS = 10_000;
const LONGEST_DELAY_AFTER_MS = 100;
/** The lowest priority, and the usual one; on Linux they are those of the calling thread. */
const LOWEST = 19;
const USUAL = 0;

export class RingReading {
  readonly #recorder: BpfRecorder;
  #lastRead = Date.now();
  #priority = USUAL;

  constructor(recorder: BpfRecorder) {
    this.#recorder = recorder;
  }

  /** Reads if it is time to; whether it has found something. */
  poll(isProgramThere: boolean): boolean {
    const { fullness } = this.#recorder;
    this.#setPriority(fullness > URGENT ? USUAL : LOWEST);
    const longest = isProgramThere ? LONGEST_DELAY_MS : LONGEST_DELAY_AFTER_MS;
    const isDue = fullness > WORTH_READING || Date.now() - this.#lastRead > longest;
    return isDue && this.readNow();
  }

  readNow(): boolean {
    const found = this.#recorder.poll() > 0;
    this.#lastRead = Date.now();
    return found;
  }

  /** Back to the usual priority: the program is over. */
  end(): void {
    this.#setPriority(USUAL);
  }

  /** Raising it again may be forbidden; then it stays low, and the ring is large. */
  #setPriority(priority: number): void {
    if (priority === this.#priority) return;
    tryTo(() => setPriority(priority));
    this.#priority = priority;
  }
}
