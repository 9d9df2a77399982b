/**
 * A function that is sampled: which of its instructions may be planted, and how much each of them weighs. The sums are
 * kept, since a function may have thousands, and one of them changes with every hit:
 *
 *   hit n times                  weighs 1/(n+1)
 *   planted, or retired          weighs nothing
 *
 * Until it is taken apart, it weighs as much as if it were made of the shortest instructions that touch memory.
 */
import type { CodeFunction } from './debug-target.ts';

/**
 * What came of a hit: others touched the memory, nobody did, nobody did and it was on the runner's own stack, or
 * nobody looked.
 */
export type HitResult = 'shared' | 'quiet' | 'own-stack' | 'unwatched';

export interface Candidate {
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
  readonly #sums: Record<Choice, number>;

  constructor(place: CodeFunction, isRetired: (candidate: Candidate) => boolean) {
    this.place = place;
    this.#isRetired = isRetired;
    this.#sums = { any: Number(place.end - place.start) / SHORTEST_INSTRUCTION, likely: 0 };
  }

  get isTakenApart(): boolean {
    return this.#candidates !== undefined;
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates ?? [];
  }

  weight(choice: Choice): number {
    return this.#sums[choice];
  }

  /** From now on it is known what may be planted. */
  takeApart(offsets: readonly number[]): void {
    this.#candidates = offsets.map((offset) => ({
      ...{ offset, hits: 0, quiet: 0, isPlanted: false, isRun: undefined },
    }));
    this.weighAll();
  }

  /** True if that is new. */
  isFoundRunning(): boolean {
    if (this.#isRun) return false;
    this.#isRun = true;
    if (this.#candidates === undefined) this.#sums.likely = this.#sums.any;
    else this.weighAll();
    return true;
  }

  /** One of them by weight, which is planted from now on. `point`: from 0 to 1. */
  plantOne(choice: Choice, point: number): Candidate | undefined {
    let rest = point * this.candidates.reduce((sum, one) => sum + this.#weightOf(one, choice), 0);
    let last: Candidate | undefined;
    for (const one of this.candidates) {
      const weight = this.#weightOf(one, choice);
      if (weight === 0) continue;
      last = one;
      rest -= weight;
      if (rest < 0) break;
    }
    if (last !== undefined) this.#change(last, { isPlanted: true });
    return last;
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
    for (const choice of ['any', 'likely'] as const) {
      this.#sums[choice] = this.candidates.reduce(
        (sum, one) => sum + this.#weightOf(one, choice),
        0,
      );
    }
  }

  #weightOf(candidate: Candidate, choice: Choice): number {
    if (candidate.isPlanted || this.#isRetired(candidate)) return 0;
    const isMeant = choice === 'any' || (candidate.isRun ?? this.#isRun);
    return isMeant ? 1 / (candidate.hits + 1) : 0;
  }

  #change(candidate: Candidate, change: Partial<Candidate>): void {
    const before = this.#weights(candidate);
    Object.assign(candidate, change);
    const after = this.#weights(candidate);
    this.#sums.any += after.any - before.any;
    this.#sums.likely += after.likely - before.likely;
  }

  #weights(candidate: Candidate): Record<Choice, number> {
    return { any: this.#weightOf(candidate, 'any'), likely: this.#weightOf(candidate, 'likely') };
  }
}
