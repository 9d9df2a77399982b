/**
 * Chooses where to plant breakpoints: any instruction that is worth watching, each as likely as any other, so that
 * code that seldom runs gets its share as well. To know them all, every function would have to be taken apart,
 * of which a kernel has a hundred thousand. Instead a function is chosen by its size, taken apart when it is
 * chosen for the first time, and then accepted as often as it has such instructions for its size:
 *
 *   f, 40 bytes: at most 20 instructions of two bytes; 5 are worth watching, so it is accepted in 1 of 4 cases
 *   g, 40 bytes: none is; never
 *
 * From then on its weight is what it really has, and nothing is thrown away any more.
 *
 * What has come of an instruction changes its weight: one that was hit n times weighs 1/(n+1). One whose memory
 * nobody else has touched in several windows is retired, and comes back, for twice as many windows, when there
 * is nothing else left to try.
 *
 * Of a large program most is never run. Whoever has looked in vain may ask for `nextToRepeat`: one that was hit
 * when it was planted last, or that was not planted yet, in a function of which another one was hit.
 */
import type { CodeFunction } from './debug-target.ts';
import type { SeededRandom } from './random.ts';
import type { WatchedCode } from './watched-code.ts';
import { Weights } from './weights.ts';
import { worthWatching } from './worth-watching.ts';

/**
 * What came of a hit: others touched the memory, nobody did, nobody did and it was on the runner's own stack, or
 * nobody looked.
 */
export type HitResult = 'shared' | 'quiet' | 'own-stack' | 'unwatched';

const SHORTEST_INSTRUCTION = 2;
/** So many windows in which nobody touched it, and an instruction is retired. */
const QUIET_WINDOWS = 8;
/** Nobody is likely to touch another's stack. */
const QUIET_FOR_OWN_STACK = 4;
/** Sums of fractions are not exact. */
const NOTHING = 1e-6;
/** Functions without anything worth watching may come one after the other; then the next call goes on. */
const MOST_TRIES = 200;

interface Candidate {
  readonly offset: number;
  hits: number;
  quiet: number;
  isPlanted: boolean;
  /** Whether it was hit when it was planted last; undefined if it never was. */
  isRun: boolean | undefined;
}

interface SampledFunction {
  readonly place: CodeFunction;
  /** undefined until it is taken apart. */
  candidates: readonly Candidate[] | undefined;
  /** One of them was hit. */
  isRun: boolean;
  /** The sums of its candidates' weights: of all, and of those that are likely to be hit. */
  weight: number;
  repeatWeight: number;
}

interface Planted {
  readonly owner: SampledFunction;
  readonly candidate: Candidate;
}

export class Sampler {
  readonly #code: WatchedCode;
  readonly #random: SeededRandom;
  readonly #usualModules: readonly string[] | undefined;
  #all: readonly SampledFunction[] = [];
  #functions: readonly SampledFunction[] = [];
  /** By address. */
  #inOrder: readonly SampledFunction[] = [];
  #weights = new Weights([]);
  /** Of what is likely to be hit. */
  #repeatWeights = new Weights([]);
  #indexes = new Map<SampledFunction, number>();
  readonly #planted = new Map<bigint, Planted | 'suspect'>();
  #suspicious: readonly bigint[] = [];
  #isSuspectsTurn = true;
  #nextSuspect = 0;
  #quietAllowed = QUIET_WINDOWS;
  /** How many of the instructions that are known by now were retired. */
  #retired = 0;

  /** `usualModules`: whose functions are meant unless some are named; otherwise all. */
  constructor(code: WatchedCode, random: SeededRandom, usualModules?: readonly string[]) {
    this.#code = code;
    this.#random = random;
    this.#usualModules = usualModules;
  }

  /** All that may be sampled; what was known of others is forgotten. */
  setFunctions(functions: readonly CodeFunction[], wanted: RegExp | undefined): void {
    this.#all = functions.map((place) => ({
      ...{ place, candidates: undefined, isRun: false },
      ...{ weight: Number(place.end - place.start) / SHORTEST_INSTRUCTION, repeatWeight: 0 },
    }));
    this.#retired = 0;
    this.#planted.clear();
    this.narrow(wanted);
  }

  /** Only functions whose names match; what is known of them stays. */
  narrow(wanted: RegExp | undefined): void {
    this.#functions = this.#all.filter(({ place }) =>
      wanted ? wanted.test(place.name) : (this.#usualModules?.includes(place.module) ?? true),
    );
    this.#weights = new Weights(this.#functions.map(({ weight }) => weight));
    this.#repeatWeights = new Weights(this.#functions.map(({ repeatWeight }) => repeatWeight));
    this.#indexes = new Map(this.#functions.map((one, index) => [one, index]));
    this.#inOrder = this.#functions.toSorted((a, b) => Number(a.place.start - b.place.start));
  }

  /** These are planted first, and every second time from then on. */
  suspect(addresses: readonly bigint[]): void {
    this.#suspicious = addresses;
  }

  get functionCount(): number {
    return this.#functions.length;
  }

  /** Of the functions that were taken apart by now. */
  get known(): { readonly instructions: number; readonly retired: number } {
    const instructions = this.#functions.reduce(
      (sum, one) => sum + (one.candidates?.length ?? 0),
      0,
    );
    return { instructions, retired: this.#retired };
  }

  /** Takes functions apart for a while, as long as nobody has to wait for it: all of a small program's. */
  async prepare(now: () => number, milliseconds: number): Promise<void> {
    const end = now() + milliseconds;
    const order = this.#functions.map((one) => ({ one, place: this.#random.next() }));
    for (const { one } of order.sort((a, b) => a.place - b.place)) {
      if (now() >= end) return;
      if (one.candidates === undefined) await this.#takeApart(one);
    }
  }

  /** Where to plant next; undefined if there is nothing, or nothing that is not planted. */
  async next(): Promise<bigint | undefined> {
    this.#isSuspectsTurn = !this.#isSuspectsTurn;
    const suspect = this.#isSuspectsTurn ? undefined : this.#suspect();
    return suspect ?? (await this.#sampled()) ?? this.#suspect();
  }

  /** One that is likely to be hit; undefined if none is known that is not planted. */
  async nextToRepeat(): Promise<bigint | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (this.#repeatWeights.total < NOTHING) return undefined;
      const owner = this.#functions[this.#repeatWeights.pick(this.#random.next()) ?? -1];
      if (owner === undefined) return undefined;
      if (owner.candidates === undefined && !(await this.#isAccepted(owner))) continue;
      return this.#taken(owner, ({ isRun }) => isRun ?? owner.isRun);
    }
    return undefined;
  }

  /** Functions with these addresses in them, if they are any, are run: that may be repeated. */
  heardOf(addresses: readonly bigint[]): void {
    for (const address of addresses) {
      const one = this.#functionAt(address);
      if (one === undefined || one.isRun) continue;
      one.isRun = true;
      if (one.candidates === undefined) one.repeatWeight = one.weight;
      else this.#weigh(one);
      this.#weightsChanged(one);
    }
  }

  /** Whether one that is planted was hit when it was planted last, so that it is likely to be hit at once. */
  isLikelyHit(address: bigint): boolean {
    const planted = this.#planted.get(address);
    return typeof planted === 'object' && planted.candidate.isRun === true;
  }

  /** It is no longer planted: it was hit, with this result, or somebody else is to have the place. */
  giveBack(address: bigint, result: HitResult | undefined): void {
    const planted = this.#planted.get(address);
    this.#planted.delete(address);
    if (planted === undefined || planted === 'suspect') return;
    const { owner, candidate } = planted;
    const wasRetired = this.#isRetired(candidate);
    this.#change(owner, candidate, () => {
      candidate.isPlanted = false;
      candidate.isRun = result !== undefined;
      if (result !== undefined) candidate.hits++;
      if (result === 'shared') candidate.quiet = 0;
      else if (result === 'quiet') candidate.quiet++;
      else if (result === 'own-stack') candidate.quiet += QUIET_FOR_OWN_STACK;
    });
    if (!wasRetired && this.#isRetired(candidate)) this.#retired++;
    if (owner.isRun || !candidate.isRun) return;
    owner.isRun = true;
    this.#weigh(owner);
  }

  #functionAt(address: bigint): SampledFunction | undefined {
    let [low, high] = [0, this.#inOrder.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#inOrder[middle]!.place.end <= address) low = middle + 1;
      else high = middle;
    }
    const found = this.#inOrder[low];
    return found && found.place.start <= address ? found : undefined;
  }

  #suspect(): bigint | undefined {
    for (let i = 0; i < this.#suspicious.length; i++) {
      const address = this.#suspicious[(this.#nextSuspect + i) % this.#suspicious.length]!;
      if (this.#planted.has(address)) continue;
      this.#nextSuspect = (this.#nextSuspect + i + 1) % this.#suspicious.length;
      this.#planted.set(address, 'suspect');
      return address;
    }
    return undefined;
  }

  async #sampled(): Promise<bigint | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (this.#weights.total < NOTHING && !this.#revive()) return undefined;
      const owner = this.#functions[this.#weights.pick(this.#random.next()) ?? -1];
      if (owner === undefined) return undefined;
      if (owner.candidates === undefined && !(await this.#isAccepted(owner))) continue;
      const address = this.#taken(owner, () => true);
      if (address !== undefined) return address;
    }
    return undefined;
  }

  /** One of its instructions, which is planted from now on; undefined if it has none. */
  #taken(owner: SampledFunction, isWanted: (one: Candidate) => boolean): bigint | undefined {
    const candidate = this.#candidateOf(owner.candidates!, (one) =>
      isWanted(one) ? this.#weightOfCandidate(one) : 0,
    );
    if (candidate === undefined) return undefined;
    const address = owner.place.start + BigInt(candidate.offset);
    this.#change(owner, candidate, () => {
      candidate.isPlanted = true;
    });
    // It is one of the suspects, and planted already: they have it for good.
    if (this.#planted.has(address)) return undefined;
    this.#planted.set(address, { owner, candidate });
    return address;
  }

  #candidateOf(
    all: readonly Candidate[],
    weightOf: (one: Candidate) => number,
  ): Candidate | undefined {
    let rest = this.#random.next() * all.reduce((sum, one) => sum + weightOf(one), 0);
    let last: Candidate | undefined;
    for (const one of all) {
      const weight = weightOf(one);
      if (weight === 0) continue;
      last = one;
      rest -= weight;
      if (rest < 0) break;
    }
    return last;
  }

  async #isAccepted(chosen: SampledFunction): Promise<boolean> {
    const assumed = chosen.weight;
    const found = await this.#takeApart(chosen);
    return this.#random.next() * assumed < found;
  }

  /** How many are worth watching. */
  async #takeApart(chosen: SampledFunction): Promise<number> {
    const taken = await this.#code.functionOf(chosen.place);
    const worth = taken ? worthWatching(taken) : [];
    chosen.candidates = worth.map(({ address: offset }) => ({
      ...{ offset, hits: 0, quiet: 0, isPlanted: false, isRun: undefined },
    }));
    this.#weigh(chosen);
    return worth.length;
  }

  #weightOfCandidate(candidate: Candidate): number {
    return candidate.isPlanted || this.#isRetired(candidate) ? 0 : 1 / (candidate.hits + 1);
  }

  #isRetired({ quiet }: Candidate): boolean {
    return quiet >= this.#quietAllowed;
  }

  /** False if nobody was retired. */
  #revive(): boolean {
    if (this.#retired === 0) return false;
    this.#quietAllowed *= 2;
    this.#retired = 0;
    for (const one of this.#functions) {
      if (one.candidates === undefined) continue;
      this.#retired += one.candidates.filter((candidate) => this.#isRetired(candidate)).length;
      this.#weigh(one);
    }
    return this.#weights.total >= NOTHING;
  }

  #repeatWeightOf(candidate: Candidate, owner: SampledFunction): number {
    return (candidate.isRun ?? owner.isRun) ? this.#weightOfCandidate(candidate) : 0;
  }

  /** Something about one of its candidates changes: its sums do by as much. */
  #change(owner: SampledFunction, candidate: Candidate, change: () => void): void {
    owner.weight -= this.#weightOfCandidate(candidate);
    owner.repeatWeight -= this.#repeatWeightOf(candidate, owner);
    change();
    owner.weight += this.#weightOfCandidate(candidate);
    owner.repeatWeight += this.#repeatWeightOf(candidate, owner);
    this.#weightsChanged(owner);
  }

  /** All of its candidates, anew. */
  #weigh(owner: SampledFunction): void {
    const { candidates = [] } = owner;
    owner.weight = candidates.reduce((sum, one) => sum + this.#weightOfCandidate(one), 0);
    owner.repeatWeight = candidates.reduce((sum, one) => sum + this.#repeatWeightOf(one, owner), 0);
    this.#weightsChanged(owner);
  }

  #weightsChanged(owner: SampledFunction): void {
    const index = this.#indexes.get(owner);
    if (index === undefined) return;
    this.#weights.set(index, owner.weight < NOTHING ? 0 : owner.weight);
    this.#repeatWeights.set(index, owner.repeatWeight < NOTHING ? 0 : owner.repeatWeight);
  }
}
