/**
 * Makes up for hits that are missing. Of a large program most is never run, so that what is sampled from all of it is
 * hit too seldom. Then what was hit before, or is in a function that is known to be run, is planted as well, one for
 * each hit that is due:
 *
 *   wanted 50 a second, found 9: every 20 ms a few of those, of which one is hit, as long as 41 are missing
 *
 * This takes nothing from the others (breakpoint-supply.ts): their hits come first, and are owed for if need be. How
 * many stand at once is doubled while too few are hit, and goes down by one with each that is hit for nothing.
 */
import type { DebugTarget } from './debug-target.ts';
import { adjustmentMs, wantedSince } from './hit-budget.ts';
import { PlantedBreakpoints } from './planted-breakpoints.ts';
import type { Sampler } from './sampler.ts';

const MOST_AT_ONCE = 128;
/**
 * Not all that is run is hit soon: unless one is known to be, so many are planted at once, if so many may stand, and if
 * none is hit, so many more.
 */
const TRIES_FOR_A_HIT = 2;
/** Of the hits that are wanted, so many are enough. */
const ENOUGH = 0.9;
const MISSED = 0.5;
/** Functions that were found running may have to be taken apart first: so much of the time is for the program meanwhile. */
const REST_FOR_WORK = 99;
/** What is not hit by then is not run any more. */
const GIVE_UP_AFTER_MS = 2000;

export class RepeatedHits {
  readonly #sampler: Sampler;
  readonly #now: () => number;
  readonly #planted: PlantedBreakpoints;
  /** How many may stand at once; none as long as nothing is missing. */
  #goal = 0;
  #adjustedAt: number;
  #hitsThen = 0;
  #plantedAt = Number.NEGATIVE_INFINITY;
  /** At that time. */
  #plantedAtOnce = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isExhausted = false;
  #areMissed = false;

  constructor(target: Pick<DebugTarget, 'plant' | 'unplant'>, sampler: Sampler, now: () => number) {
    this.#planted = new PlantedBreakpoints(target, sampler);
    this.#sampler = sampler;
    this.#now = now;
    this.#adjustedAt = now();
  }

  get size(): number {
    return this.#planted.size;
  }

  get areWanted(): boolean {
    return this.#goal > 0;
  }

  /** Some were given back, and may be planted again. */
  haveMore(): void {
    this.#isExhausted = false;
  }

  /** Less than half of what is wanted: what is likely to be hit is hardly known. */
  get areMissed(): boolean {
    return this.#areMissed;
  }

  /** When the next ones are to be planted, at this rate, if a hit is due then. */
  nextAt(rate: number): number {
    if (this.#isExhausted || this.#planted.size >= this.#goal) return Number.POSITIVE_INFINITY;
    const tried = this.#plantedAt + (this.#plantedAtOnce * 1000) / rate / TRIES_FOR_A_HIT;
    return Math.max(tried, this.#restsUntil);
  }

  /** `from`: they are to stand from then on. */
  async plantSome(from: number): Promise<void> {
    const wanted = Math.min(TRIES_FOR_A_HIT, this.#goal - this.#planted.size);
    const chosen: bigint[] = [];
    const before = this.#sampler.takingApartMs;
    const worked = (): number => this.#sampler.takingApartMs - before;
    const isLikely = (): boolean => chosen.some((one) => this.#sampler.isLikelyHit(one));
    while (chosen.length < wanted && !isLikely() && !this.#isExhausted && worked() === 0) {
      const address = await this.#sampler.nextToRepeat();
      this.#isExhausted = address === undefined;
      if (address !== undefined) chosen.push(address);
    }
    this.#plantedAt = from;
    this.#restsUntil = this.#plantedAt + REST_FOR_WORK * worked();
    if (chosen.length === 0) return;
    this.#plantedAtOnce = chosen.length;
    const gone = await this.#planted.plant(chosen, this.#plantedAt);
    for (const address of gone) this.#sampler.giveBack(address, undefined);
  }

  /** Somebody stands there: it is taken away, for others to pass. False if it was not one of these. */
  async takeHit(address: bigint): Promise<boolean> {
    return await this.#planted.takeHit(address);
  }

  hitTooMany(): void {
    this.#goal = Math.max(0, this.#goal - 1);
  }

  /** `hits`: how many there were until now. */
  async adjust(hits: number, rate: number): Promise<void> {
    const now = this.#now();
    if (now < this.#adjustedAt + adjustmentMs(rate)) return;
    const wanted = wantedSince(this.#adjustedAt, now, rate);
    this.#areMissed = hits - this.#hitsThen < MISSED * wanted;
    if (hits - this.#hitsThen < ENOUGH * wanted) {
      this.#goal = Math.min(MOST_AT_ONCE, Math.max(1, 2 * this.#goal));
    }
    this.#hitsThen = hits;
    this.#adjustedAt = now;
    this.#isExhausted = false;
    await this.#planted.removeThoseBefore(now - GIVE_UP_AFTER_MS);
  }

  async removeAll(): Promise<void> {
    this.#isExhausted = false;
    await this.#planted.removeAll();
  }
}
