/**
 * Waits for the next stop of a tracee, without using a processor, and to a deadline that is kept to a fraction of
 * a millisecond where it has to be.
 *
 *   far from the deadline    in the event loop, until SIGCHLD comes or a timer ends: keys and signals are heard
 *   the last few ms          if it is to be exact: standing still; SIGCHLD ends that as well
 *
 * SIGCHLD may come between the look for stops and the rest that it should end, or go to another thread of ours:
 * so rests are short. But not shorter than that: each look takes a processor from a program that may use them all.
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { ChildWatch } from '../../linux/child-watch.ts';
import { shortRest } from '../../linux/short-rest.ts';
import { nextStopWithin, type StoppedTask } from '../../linux/tracee-stop.ts';

/** The event loop's timers may be so much too late. */
const EXACT_FROM_MS = 3;
/** So often the event loop has its turn, however much happens. */
const TURN_EVERY_MS = 50;
const LONGEST_REST_MS = 1000;

export class StopWaiting {
  readonly #children = new ChildWatch();
  #lastTurn = performance.now();
  #isWoken = false;

  /** undefined when it is time, or somebody has called `wake`; `none` if there is no tracee any more. */
  async next(deadline: number, isExact: boolean): Promise<StoppedTask | 'none' | undefined> {
    await this.turnIfDue();
    for (;;) {
      // First the clock, then a look: we ourselves may have been kept from running in between.
      const left = deadline - performance.now();
      const stop = nextStopWithin(0);
      if (stop === undefined) return 'none';
      if (stop !== 'none yet') return stop;
      if (left <= 0 || this.isWoken()) return undefined;
      if (!isExact || left > EXACT_FROM_MS) {
        const untilThen = isExact ? left - EXACT_FROM_MS : Math.ceil(left);
        await this.#children.rest(Math.min(untilThen, LONGEST_REST_MS));
        this.#lastTurn = performance.now();
      } else shortRest(left);
    }
  }

  wake(): void {
    this.#isWoken = true;
    this.#children.wake();
  }

  close(): void {
    this.#children.close();
  }

  /** Whether somebody has called `wake` since it was asked last. */
  isWoken(): boolean {
    const isWoken = this.#isWoken;
    this.#isWoken = false;
    return isWoken;
  }

  /** For those who wait for stops in another way: the event loop is not to wait for them. */
  async turnIfDue(): Promise<void> {
    if (performance.now() - this.#lastTurn > TURN_EVERY_MS) await this.takeTurn();
  }

  async takeTurn(): Promise<void> {
    await turnOfTheLoop();
    this.#lastTurn = performance.now();
  }
}
