/** How a stub lets runners run and tells that one has stopped: all at once (all-stop.ts), or each for itself (non-stop.ts). */
import type { Runner } from '../debug-target.ts';
import type { StopReply } from './stop-reply.ts';

export interface RunControl {
  /** Those that are known, with the stub's own names for them. */
  readonly runners: ReadonlyMap<Runner, string>;
  /** A stop may be told when the runner has gone on from where it came about. */
  readonly mayTellLate: boolean;
  /** For how long it ran, of the time in which it was to: milliseconds. */
  readonly ranFor: number;
  /** What happens next to those that are not held, who run meanwhile; undefined at the deadline, or if woken. */
  nextStop(held: ReadonlySet<Runner>, deadline: number): Promise<StopReply | undefined>;
  wake(): void;
  /** One instruction of one runner that stands; what stopped it then. */
  step(runner: Runner): Promise<StopReply | undefined>;
  /** A signal that stopped a runner is its own: it gets it when it goes on. */
  passOn(runner: Runner, signal: number): void;
  /** Whoever waits in `nextStop` comes back from it. */
  halt(): Promise<void>;
}

/** Waits for the first of them. The clock is not stopped by a wait for `happened` that is over. */
export class Alarm {
  #ring: (() => void) | undefined;
  #rungEarly = false;

  /** True if `happened` was first. */
  async isFirst(happened: Promise<unknown>, deadline: number): Promise<boolean> {
    if (this.#rungEarly) {
      this.#rungEarly = false;
      return false;
    }
    let timer: NodeJS.Timeout | undefined;
    const rung = new Promise<false>((resolve) => {
      this.#ring = () => resolve(false);
      const left = Math.min(Math.max(0, deadline - performance.now()), LONGEST_WAIT);
      timer = setTimeout(this.#ring, left);
    });
    try {
      return await Promise.race([happened.then(() => true), rung]);
    } finally {
      this.#ring = undefined;
      clearTimeout(timer);
    }
  }

  /** If nobody waits, the next wait is for nothing. */
  ring(): void {
    if (this.#ring) this.#ring();
    else this.#rungEarly = true;
  }
}

/** What setTimeout takes. */
const LONGEST_WAIT = 2 ** 31 - 1;
