/** Picks one of many functions by weight, and finds the one that an address is in. */
import { firstIndex } from '../base/bisect.ts';
import type { Choice, SampledFunction } from './sampled-function.ts';
import { Weights } from './weights.ts';

/** Sums of fractions are not exact. */
const NOTHING = 1e-6;

export class FunctionChoice {
  readonly all: readonly SampledFunction[];
  readonly #byAddress: readonly SampledFunction[];
  readonly #weights: Readonly<Record<Choice, Weights>>;
  readonly #indexes: ReadonlyMap<SampledFunction, number>;

  constructor(all: readonly SampledFunction[]) {
    this.all = all;
    this.#byAddress = all.toSorted((a, b) => Number(a.place.start - b.place.start));
    const weights = (choice: Choice): Weights => new Weights(all.map((one) => one.weight(choice)));
    this.#weights = { any: weights('any'), likely: weights('likely') };
    this.#indexes = new Map(all.map((one, index) => [one, index]));
  }

  isNoneLeft(choice: Choice): boolean {
    return this.#weights[choice].total < NOTHING;
  }

  /** `point`: from 0 to 1. */
  pick(choice: Choice, point: number): SampledFunction | undefined {
    return this.all[this.#weights[choice].pick(point) ?? -1];
  }

  /** To be called when its weights have changed; it may be none of these. */
  weigh(one: SampledFunction): void {
    const index = this.#indexes.get(one);
    if (index === undefined) return;
    for (const choice of ['any', 'likely'] as const) {
      const weight = one.weight(choice);
      this.#weights[choice].set(index, weight < NOTHING ? 0 : weight);
    }
  }

  at(address: bigint): SampledFunction | undefined {
    const found = this.#byAddress[firstIndex(this.#byAddress, ({ place }) => place.end > address)];
    return found && found.place.start <= address ? found : undefined;
  }
}
