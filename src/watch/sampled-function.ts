/**
 * A function that is sampled: which of its instructions may be planted, and how much each of them weighs. It may have
 * thousands, and one of them changes with every hit (weights.ts):
 *
 *   hit n times                  weighs 1/(n+1)
 *   planted, or retired          weighs nothing
 *
 * Until it is taken apart, it weighs as much as if it were made of the shortest instructions that touch memory.
 */
import type { CodeFunction } from './debug-target.ts';
import { Weights } from './weights.ts';

/**
 * What came of a hit: others touched the memory, nobody did, nobody did and it was on the runner's own stack, or
 * nobody looked.
 */
export type HitResult = 'shared' | 'quiet' | 'own-stack' | 'unwatched';

export interface Candidate {
  readonly index: number;
  /** From the function's start. */
  readonly offset: number;
  hits: number;
  quiet: number;
  isPlanted: boolean;
  /** Whether it was hit when it was planted last; undefined if it never was. */
  isRun: boolean | undefined;
}

/** All of them, or those only that are likely to be hit. */
export type Choice = 'any' | 'likely';

const SHORTEST_INSTRUCTION = 2;
/** Nobody is likely to touch another's stack. */
const QUIET_FOR_OWN_STACK = 4;

export class SampledFunction {
  readonly place: CodeFunction;
  readonly #isRetired: (candidate: Candidate) => boolean;
  /** undefined until it is taken apart. */
  #candidates: readonly Candidate[] | undefined;
  /** It is known to be run. */
  #isRun = false;
  #weights: Readonly<Record<Choice, Weights>> | undefined;

  constructor(place: CodeFunction, isRetired: (candidate: Candidate) => boolean) {
    this.place = place;
    this.#isRetired = isRetired;
  }

  get isTakenApart(): boolean {
    return this.#candidates !== undefined;
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates ?? [];
  }

  weight(choice: Choice): number {
    if (this.#weights !== undefined) return this.#weights[choice].total;
    const { start, end } = this.place;
    return choice === 'any' || this.#isRun ? Number(end - start) / SHORTEST_INSTRUCTION : 0;
  }

  /** From now on it is known what may be planted. */
  takeApart(offsets: readonly number[]): void {
    this.#candidates = offsets.map((offset, index) => ({
      ...{ index, offset, hits: 0, quiet: 0, isPlanted: false, isRun: undefined },
    }));
    this.weighAll();
  }

  /** True if that is new. */
  isFoundRunning(): boolean {
    if (this.#isRun) return false;
    this.#isRun = true;
    if (this.isTakenApart) this.weighAll();
    return true;
  }

  /** One of them by weight, which is planted from now on. `point`: from 0 to 1. */
  plantOne(choice: Choice, point: number): Candidate | undefined {
    const one = this.candidates[this.#weights?.[choice].pick(point) ?? -1];
    if (one !== undefined) this.#change(one, { isPlanted: true });
    return one;
  }

  /** It is no longer planted; undefined: nobody came to it. */
  giveBack(candidate: Candidate, result: HitResult | undefined): void {
    const { hits, quiet } = candidate;
    const isRun = result !== undefined;
    const more = { quiet: 1, 'own-stack': QUIET_FOR_OWN_STACK, unwatched: 0, shared: -quiet };
    this.#change(candidate, {
      ...{ isPlanted: false, isRun, hits: hits + (isRun ? 1 : 0) },
      quiet: quiet + (result === undefined ? 0 : more[result]),
    });
    if (isRun) this.isFoundRunning();
  }

  /** All of them, anew: others are retired now. */
  weighAll(): void {
    const weights = (choice: Choice): Weights =>
      new Weights(this.candidates.map((one) => this.#weightOf(one, choice)));
    this.#weights = { any: weights('any'), likely: weights('likely') };
  }

  #weightOf(candidate: Candidate, choice: Choice): number {
    if (candidate.isPlanted || this.#isRetired(candidate)) return 0;
    const isMeant = choice === 'any' || (candidate.isRun ?? this.#isRun);
    return isMeant ? 1 / (candidate.hits + 1) : 0;
  }

  #change(candidate: Candidate, change: Partial<Candidate>): void {
    Object.assign(candidate, change);
    for (const choice of ['any', 'likely'] as const) {
      this.#weights?.[choice].set(candidate.index, this.#weightOf(candidate, choice));
    }
  }
}
