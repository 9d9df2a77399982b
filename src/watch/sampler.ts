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
import { FunctionChoice } from './function-choice.ts';
import type { SeededRandom } from './random.ts';
import {
  type Candidate,
  type Choice,
  type HitResult,
  SampledFunction,
} from './sampled-function.ts';
import type { WatchedCode } from './watched-code.ts';
import { worthWatching } from './worth-watching.ts';

/** So many windows in which nobody touched it, and an instruction is retired. */
const QUIET_WINDOWS = 8;
/** Functions without anything worth watching may come one after the other; then the next call goes on. */
const MOST_TRIES = 200;

interface Planted {
  readonly owner: SampledFunction;
  readonly candidate: Candidate;
}

export class Sampler {
  readonly #code: WatchedCode;
  readonly #random: SeededRandom;
  readonly #usualModules: readonly string[] | undefined;
  readonly #now: () => number;
  #all: readonly SampledFunction[] = [];
  #functions = new FunctionChoice([]);
  readonly #planted = new Map<bigint, Planted | 'suspect'>();
  #suspicious: readonly bigint[] = [];
  #isSuspectsTurn = true;
  #nextSuspect = 0;
  #quietAllowed = QUIET_WINDOWS;
  /** How many of the instructions that are known by now were retired. */
  #retired = 0;
  /** What it has taken until now to take functions apart, which is most of the work. */
  takingApartMs = 0;

  /** `usualModules`: whose functions are meant unless some are named; otherwise all. */
  constructor(
    code: WatchedCode,
    random: SeededRandom,
    usualModules?: readonly string[],
    now = () => performance.now(),
  ) {
    this.#code = code;
    this.#random = random;
    this.#usualModules = usualModules;
    this.#now = now;
  }

  /** All that may be sampled; what was known of others is forgotten. */
  setFunctions(functions: readonly CodeFunction[], wanted: RegExp | undefined): void {
    this.#all = functions.map((place) => new SampledFunction(place, this.#isRetired));
    this.#retired = 0;
    this.#planted.clear();
    this.narrow(wanted);
  }

  /** Only functions whose names match; what is known of them stays. */
  narrow(wanted: RegExp | undefined): void {
    const isMeant = ({ place }: SampledFunction): boolean =>
      wanted ? wanted.test(place.name) : (this.#usualModules?.includes(place.module) ?? true);
    this.#functions = new FunctionChoice(this.#all.filter(isMeant));
  }

  /** These are planted first, and every second time from then on. */
  suspect(addresses: readonly bigint[]): void {
    this.#suspicious = addresses;
  }

  get functionCount(): number {
    return this.#functions.all.length;
  }

  /** Of the functions that were taken apart by now. */
  get known(): { readonly instructions: number; readonly retired: number } {
    const counts = this.#functions.all.map(({ candidates }) => candidates.length);
    return { instructions: counts.reduce((sum, one) => sum + one, 0), retired: this.#retired };
  }

  /** Takes functions apart for a while, as long as nobody has to wait for it: all of a small program's. */
  async prepare(milliseconds: number): Promise<void> {
    const end = this.#now() + milliseconds;
    const order = this.#functions.all.map((one) => ({ one, place: this.#random.next() }));
    for (const { one } of order.sort((a, b) => a.place - b.place)) {
      if (this.#now() >= end) return;
      if (!one.isTakenApart) await this.#takeApart(one);
    }
  }

  /** Where to plant next; undefined if there is nothing, or nothing that is not planted. */
  async next(): Promise<bigint | undefined> {
    this.#isSuspectsTurn = !this.#isSuspectsTurn;
    const suspect = this.#isSuspectsTurn ? undefined : this.#suspect();
    return suspect ?? (await this.#sampled('any')) ?? this.#suspect();
  }

  /** One that is likely to be hit; undefined if none is known that is not planted. */
  async nextToRepeat(): Promise<bigint | undefined> {
    return await this.#sampled('likely');
  }

  /** Functions with these addresses in them, if they are any, are run: that may be repeated. */
  heardOf(addresses: readonly bigint[]): void {
    for (const address of addresses) {
      const one = this.#functions.at(address);
      if (one?.isFoundRunning()) this.#functions.weigh(one);
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
    owner.giveBack(candidate, result);
    this.#functions.weigh(owner);
    if (!wasRetired && this.#isRetired(candidate)) this.#retired++;
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

  async #sampled(choice: Choice): Promise<bigint | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (this.#functions.isNoneLeft(choice) && !this.#isRevived(choice)) return undefined;
      const owner = this.#functions.pick(choice, this.#random.next());
      if (owner === undefined) return undefined;
      if (!owner.isTakenApart && !(await this.#isAccepted(owner))) continue;
      const address = this.#taken(owner, choice);
      if (address !== undefined) return address;
    }
    return undefined;
  }

  /** One of its instructions, which is planted from now on; undefined if it has none. */
  #taken(owner: SampledFunction, choice: Choice): bigint | undefined {
    const candidate = owner.plantOne(choice, this.#random.next());
    this.#functions.weigh(owner);
    if (candidate === undefined) return undefined;
    const address = owner.place.start + BigInt(candidate.offset);
    // It is one of the suspects, and planted already: they have it for good.
    if (this.#planted.has(address)) return undefined;
    this.#planted.set(address, { owner, candidate });
    return address;
  }

  async #isAccepted(chosen: SampledFunction): Promise<boolean> {
    const assumed = chosen.weight('any');
    await this.#takeApart(chosen);
    return this.#random.next() * assumed < chosen.candidates.length;
  }

  async #takeApart(chosen: SampledFunction): Promise<void> {
    const began = this.#now();
    const taken = await this.#code.functionOf(chosen.place);
    chosen.takeApart(taken ? worthWatching(taken).map(({ address }) => address) : []);
    this.#functions.weigh(chosen);
    this.takingApartMs += this.#now() - began;
  }

  readonly #isRetired = ({ quiet }: Candidate): boolean => quiet >= this.#quietAllowed;

  /** If nothing else is left to try, those that were retired come back; false if nobody was. */
  #isRevived(choice: Choice): boolean {
    if (choice !== 'any' || this.#retired === 0) return false;
    this.#quietAllowed *= 2;
    this.#retired = 0;
    for (const one of this.#functions.all) {
      this.#retired += one.candidates.filter(this.#isRetired).length;
      if (!one.isTakenApart) continue;
      one.weighAll();
      this.#functions.weigh(one);
    }
    return !this.#functions.isNoneLeft(choice);
  }
}
