/**
 * Keeps to so many hits a second, whatever the program does: a bucket into which tokens drip, and that holds
 * no more than a moment's worth. At 50 a second there is one every 20 ms, and after a quiet minute there are not 3,000.
 */
const MOMENT_S = 0.05;

/** After what time to see whether as many are hit as wanted: there must be some to be counted. */
export const adjustmentMs = (rate: number): number => Math.max(250, 5000 / rate);

/**
 * How many hits were wanted since then. If that is long ago, everybody was stopped meanwhile (Ctrl-Z, or a machine that
 * slept), and there was nothing to be hit.
 */
export function wantedSince(since: number, now: number, rate: number): number {
  return (rate * Math.min(now - since, 2 * adjustmentMs(rate))) / 1000;
}

export class HitBudget {
  #tokens = 1;
  #filledAt: number;
  #rate: number;

  /** Times are in milliseconds. */
  constructor(rate: number, now: number) {
    this.#rate = rate;
    this.#filledAt = now;
  }

  set rate(rate: number) {
    this.#rate = rate;
  }

  /** `mayOwe`: one that does not come often is looked at even if that is to be saved up for later. */
  take(now: number, mayOwe = false): boolean {
    this.#fill(now);
    if (this.#tokens < (mayOwe ? 1 - this.#most : 1)) return false;
    this.#tokens--;
    return true;
  }

  /** When there will be one, if nobody takes it. */
  nextAt(now: number): number {
    this.#fill(now);
    return this.#tokens >= 1 ? now : now + (1 - this.#tokens) * this.everyMs;
  }

  /** Between two of them. */
  get everyMs(): number {
    return 1000 / this.#rate;
  }

  /** So long ago the first one may have been due that is not taken yet. */
  get savedMs(): number {
    return (this.#most - 1) * this.everyMs;
  }

  #fill(now: number): void {
    const dripped = ((now - this.#filledAt) / 1000) * this.#rate;
    this.#tokens = Math.min(this.#most, this.#tokens + Math.max(0, dripped));
    this.#filledAt = now;
  }

  get #most(): number {
    return Math.max(1, this.#rate * MOMENT_S);
  }
}
