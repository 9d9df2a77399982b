/**
 * How many processors have nothing to do while a program runs: then a second run costs the first one nothing.
 *
 *   const idle = new IdleProcessors();
 *   …              two processors, and a script that mostly sleeps
 *   idle.count     1.7
 */
import { availableParallelism, cpus } from 'node:os';

/** What there is to read. */
export interface ProcessorTimes {
  readonly nowMs: number;
  /** Of all processors together. */
  readonly idleMs: number;
  /** How many may be used. */
  readonly usable: number;
}

export class IdleProcessors {
  readonly #read: () => ProcessorTimes;
  readonly #before: ProcessorTimes;

  constructor(read = processorTimes) {
    this.#read = read;
    this.#before = read();
  }

  /** On average since this was made; of those that may not be used, none counts. */
  get count(): number {
    return this.countWithout(0);
  }

  /** As if something that has kept processors busy for so long had not been. */
  countWithout(busyMs: number): number {
    const { nowMs, idleMs, usable } = this.#read();
    const elapsedMs = nowMs - this.#before.nowMs;
    const idleSinceMs = idleMs - this.#before.idleMs + busyMs;
    return elapsedMs > 0 ? Math.min(idleSinceMs / elapsedMs, usable) : 0;
  }
}

const processorTimes = (): ProcessorTimes => ({
  nowMs: performance.now(),
  idleMs: cpus().reduce((sum, { times }) => sum + times.idle, 0),
  usable: availableParallelism(),
});
