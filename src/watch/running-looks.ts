/**
 * Asks now and then what a program runs, as long as too few of the hits that are wanted are found. A thread that is
 * looked at by the clock is slower meanwhile, all the more the more often it sleeps and wakes: so each look is short,
 * and the rests between them become longer. What runs now is mostly what runs later.
 *
 *   look for a moment, rest 1 s, look, rest 2 s, look, rest 4 s …
 */
import type { DebugTarget } from './debug-target.ts';
import type { Sampler } from './sampler.ts';

const LOOK_MS = 100;
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

export class RunningLooks {
  readonly #target: Pick<DebugTarget, 'running'>;
  readonly #sampler: Pick<Sampler, 'heardOf'>;
  readonly #now: () => number;
  #isLooking = false;
  #next = Number.NEGATIVE_INFINITY;
  #restMs = FIRST_REST_MS;

  constructor(
    target: Pick<DebugTarget, 'running'>,
    sampler: Pick<Sampler, 'heardOf'>,
    now: () => number,
  ) {
    this.#target = target;
    this.#sampler = sampler;
    this.#now = now;
  }

  /** To be called at every turn. */
  async look(areHitsMissed: boolean): Promise<void> {
    const now = this.#now();
    if (now < this.#next || !(areHitsMissed || this.#isLooking)) return;
    this.#isLooking = !this.#isLooking;
    this.#sampler.heardOf((await this.#target.running?.(this.#isLooking)) ?? []);
    this.#next = now + (this.#isLooking ? LOOK_MS : this.#restMs);
    if (!this.#isLooking) this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
  }

  /** Other code runs now. */
  startAnew(): void {
    this.#restMs = FIRST_REST_MS;
  }
}
