/**
 * Keeps so many breakpoints planted that about as many are hit as wanted. Nobody knows beforehand how often an
 * instruction runs; so their number is doubled while too few are hit, halved while too many are, and goes down by
 * one with each that is hit for nothing:
 *
 *   wanted 50 a second: 32 planted, 3 hit in 250 ms → 64 planted, 10 hit → stays
 *
 * What was not hit for a while is moved on, so that a large program is gone through in time.
 */
import type { DebugTarget } from './debug-target.ts';
import { adjustmentMs, wantedSince } from './hit-budget.ts';
import { PlantedBreakpoints } from './planted-breakpoints.ts';
import type { HitResult } from './sampled-function.ts';
import type { Sampler } from './sampler.ts';

const FIRST_GOAL = 8;
const SMALLEST_GOAL = 1;
/** Planting takes time, and every one is a byte to be put back at the end. */
const LARGEST_GOAL = 2048;
/** In one go, so that nobody has to wait who stands at one of the others: functions may have to be taken apart. */
const MOST_AT_ONCE = 16;
const LONGEST_GO_MS = 2;
/** While there are functions to be taken apart, so much of the time is for the program: 399 parts of 400. */
const REST_FOR_WORK = 399;
/** What is planted in code that runs is hit by then. */
const REST_AFTER_PLANTING_MS = 2;
const MOVE_ON_AFTER_MS = 10_000;

export class BreakpointSupply {
  readonly #sampler: Sampler;
  readonly #planted: PlantedBreakpoints;
  #goal = FIRST_GOAL;
  #hits = 0;
  #restsUntil = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;
  #adjustedAt: number;
  #isExhausted = false;

  constructor(target: Pick<DebugTarget, 'plant' | 'unplant'>, sampler: Sampler, now: () => number) {
    this.#planted = new PlantedBreakpoints(target, sampler);
    this.#sampler = sampler;
    this.#now = now;
    this.#adjustedAt = now();
  }

  get size(): number {
    return this.#planted.size;
  }

  /** Whether more are wanted than there are. */
  get isShort(): boolean {
    return !this.#isExhausted && this.#planted.size < this.#goal;
  }

  /** All that there is is planted: more can be if one of them is hit. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  nextAdjustment(rate: number): number {
    return this.#adjustedAt + adjustmentMs(rate);
  }

  /** When to plant, if it is short: taking a large program apart is not to take a processor from it. */
  get nextPlanting(): number {
    return this.#planted.size < FIRST_GOAL ? Number.NEGATIVE_INFINITY : this.#restsUntil;
  }

  /** `from`: they are to stand from then on. Whether one of them is likely to be hit at once. */
  async plantMore(from: number): Promise<boolean> {
    const before = this.#sampler.takingApartMs;
    const isLikely = await this.#plantSome(from);
    const spent = this.#sampler.takingApartMs - before;
    this.#restsUntil = from + REST_AFTER_PLANTING_MS + REST_FOR_WORK * spent;
    return isLikely;
  }

  /** Of those that are likely to be hit at once only one: it is one hit that is due. */
  async #plantSome(from: number): Promise<boolean> {
    const began = this.#now();
    const chosen: bigint[] = [];
    const isLikely = (): boolean => chosen.some((one) => this.#sampler.isLikelyHit(one));
    const isEnough = (): boolean =>
      chosen.length === MOST_AT_ONCE ||
      isLikely() ||
      this.#planted.size + chosen.length >= this.#goal ||
      this.#now() - began > LONGEST_GO_MS;
    while (!isEnough()) {
      const address = await this.#sampler.next();
      if (address === undefined) {
        this.#isExhausted = true;
        break;
      }
      chosen.push(address);
    }
    if (chosen.length === 0) return false;
    const gone = await this.#planted.plant(chosen, from);
    const isHitSoon = gone.length === 0 && isLikely();
    // There is nothing to come back to.
    for (const address of gone) this.#sampler.giveBack(address, 'unwatched');
    return isHitSoon;
  }

  /** Somebody stands there: it is taken away, for others to pass. False if it was not ours any more. */
  async takeHit(address: bigint): Promise<boolean> {
    const isOurs = await this.#planted.takeHit(address);
    if (isOurs) this.#hits++;
    return isOurs;
  }

  /** One was hit for which there was no time. */
  hitTooMany(): void {
    this.#goal = Math.max(SMALLEST_GOAL, this.#goal - 1);
  }

  /** What has come of one that was taken. */
  giveBack(address: bigint, result: HitResult): void {
    this.#isExhausted = false;
    this.#sampler.giveBack(address, result);
  }

  /** To be called at `nextAdjustment`, or later. */
  async adjust(rate: number): Promise<void> {
    const now = this.#now();
    const wanted = wantedSince(this.#adjustedAt, now, rate);
    if (this.#hits > 2 * wanted) this.#goal = Math.max(SMALLEST_GOAL, this.#goal >> 1);
    else if (this.#hits < wanted / 2) this.#goal = Math.min(LARGEST_GOAL, this.#goal * 2);
    this.#hits = 0;
    this.#adjustedAt = now;
    // If everything is planted, there is nothing to make room for.
    const wasExhausted = this.#isExhausted;
    this.#isExhausted = false;
    if (wasExhausted) return;
    await this.#planted.removeThoseBefore(now - MOVE_ON_AFTER_MS);
  }

  /** All of them, as when other functions are to be sampled. */
  async removeAll(): Promise<void> {
    this.#isExhausted = false;
    await this.#planted.removeAll();
  }
}
