/**
 * Makes the attempts for each race, within the limits of time and space. What they leave is kept until there is
 * a verdict:
 *
 *   RUN/attempts/R1-1, R1-1-again   for R1; of these, the one that shows the harm stays
 */
import { tryTo } from '../../base/result.ts';
import type { Run } from '../../trace/run-directory.ts';
import { attemptFolder, discard, isFull } from './attempt-folders.ts';
import type { AttemptPool } from './attempt-pool.ts';
import type { Attempted } from './attempt-thread.ts';
import { FIRST_LIMIT_MS, limitFor, limitForTwo } from './hang-limit.ts';
import type { Way } from './request.ts';
import type { RunBeside } from './run-beside.ts';

/** undefined: the program cannot run that way, or time is up. */
export type Tried = Attempted | 'no space' | undefined;

export const NO_SPACE = 'there is no space left to run it';

/** A run to be made. */
export interface Named {
  readonly way: Way;
  readonly name: string;
}

/** A second run that has begun beside the first. */
export interface Beside {
  /** undefined if it has to be made again, alone. */
  result(): Promise<Attempted | undefined>;
  /** Nobody asks for it any more: unless somebody has, it is ended. Whoever comes next need not wait for that. */
  cancel(): void;
}

export class Attempts {
  readonly #run: Run;
  readonly #pool: AttemptPool;
  readonly #ownLimitMs: number | undefined;
  #limitMs = limitFor(0);
  /** Nobody doubts that whoever exceeds it hangs. */
  #limitIsCertain: boolean;
  #lackedSpace = false;
  /** Where attempts have left something, by the race for which they were made. */
  readonly #folders = new Map<string, readonly string[]>();
  /** How many were made, by the same. */
  readonly #made = new Map<string, number>();
  readonly #beingCleared = new Set<Promise<unknown>>();

  /** `ownLimitMs`: what the user says. */
  constructor(run: Run, pool: AttemptPool, ownLimitMs: number | undefined) {
    this.#run = run;
    this.#pool = pool;
    this.#ownLimitMs = ownLimitMs;
    this.#limitIsCertain = ownLimitMs !== undefined;
  }

  /** How long one may take, unless the user has said so. */
  get limitMs(): number {
    return this.#limitMs;
  }

  /** `isEndless`: the recorded order does not end either. */
  allow(limitMs: number, isEndless: boolean): void {
    this.#limitMs = limitMs;
    this.#limitIsCertain ||= isEndless;
  }

  get lackedSpace(): boolean {
    return this.#lackedSpace;
  }

  madeFor(id: string): number {
    return this.#made.get(id) ?? 0;
  }

  /** A program that fails for want of space says nothing about an order. */
  async try(way: Way, name: string, limitMs = this.#limitMs): Promise<Tried> {
    const folder = attemptFolder(this.#run, name);
    discard(folder);
    this.#keep(folder, name);
    const run = this.#pool.run(way, folder, this.#ownLimitMs ?? limitMs);
    const tried = await run.catch((error: unknown) => {
      if (!isFull(this.#run)) throw error;
      return undefined;
    });
    if (isFull(this.#run)) {
      this.#lackedSpace = true;
      return 'no space';
    }
    if (tried) this.#count(name);
    return tried;
  }

  /**
   * The machine may have become slower since the recorded order was run. So before a run is said to hang,
   * that order is run once more: if it takes so long now that the limit is too tight, there is a new one.
   */
  async tryInTime(way: Way, name: string, limitMs = this.#limitMs): Promise<Tried> {
    const tried = await this.try(way, name, limitMs);
    const hangs = tried && tried !== 'no space' && tried.outcome.hung && !tried.diverged;
    if (!hangs || this.#limitIsCertain) return tried;
    const paced = await this.try({ kind: 'recorded' }, `${name}-pace`, FIRST_LIMIT_MS);
    const nowMs = paced && paced !== 'no space' ? limitFor(paced.milliseconds) : 0;
    this.#limitMs = Math.max(this.#limitMs, nowMs);
    return nowMs <= limitMs ? tried : this.try(way, name);
  }

  /**
   * The first run of a branch, with a second one beside it if a thread is spare. Not if the user has said how
   * long one may take: nobody knows what that is for two at once.
   */
  async tryTwice(way: Way, name: string): Promise<{ first: Tried; beside: Beside | undefined }> {
    if (!this.#mayRunTwo) return { first: await this.tryInTime(way, name), beside: undefined };
    // Without an end, a run takes all the time that it is given, and nobody says that it hangs.
    const limitMs = this.#limitIsCertain ? this.#limitMs : limitForTwo(this.#limitMs);
    const beside = this.#besideFirst(way, `${name}-again`, limitMs);
    try {
      return { first: await this.tryInTime(way, name, limitMs), beside };
    } catch (error) {
      beside.cancel();
      throw error;
    }
  }

  /** Two runs that are both needed, at once if a thread is spare. */
  async tryBoth(one: Named, other: Named): Promise<readonly [Tried, Tried]> {
    if (!this.#mayRunTwo) {
      return [await this.try(one.way, one.name), await this.try(other.way, other.name)];
    }
    const limitMs = limitForTwo(this.#limitMs);
    const beside = this.#besideFirst(other.way, other.name, limitMs);
    const first = await this.try(one.way, one.name, limitMs).catch((error: unknown) => {
      beside.cancel();
      throw error;
    });
    return [first, (await beside.result()) ?? (await this.try(other.way, other.name))];
  }

  get #mayRunTwo(): boolean {
    return this.#ownLimitMs === undefined && this.#pool.hasSpareThread;
  }

  #besideFirst(way: Way, name: string, limitMs: number): Beside {
    const folder = attemptFolder(this.#run, name);
    discard(folder);
    const run = this.#pool.runBeside(way, folder, limitMs);
    const isOfUse = ({ diverged, outcome }: Attempted): boolean =>
      diverged === undefined && (!outcome.hung || limitMs >= this.#limitMs);
    let isTaken = false;
    return {
      result: async () => {
        isTaken = true;
        this.#keep(folder, name);
        const attempted = await run.result();
        if (!attempted || !isOfUse(attempted) || isFull(this.#run)) return undefined;
        this.#count(name);
        return attempted;
      },
      cancel: () => {
        if (!isTaken) this.#clear(run, folder);
      },
    };
  }

  #clear(run: RunBeside, folder: string): void {
    const cleared = run.cancel().then(() => {
      void tryTo(() => discard(folder));
      this.#beingCleared.delete(cleared);
    });
    this.#beingCleared.add(cleared);
  }

  /** Forgets a race, and removes what attempts have left for it, but for one folder. */
  tidyUp(id: string, kept: string | undefined): void {
    for (const folder of this.#folders.get(id) ?? []) if (folder !== kept) discard(folder);
    this.#folders.delete(id);
  }

  /** When nothing is left of what was cancelled. */
  async cleared(): Promise<void> {
    await Promise.all(this.#beingCleared);
  }

  #keep(folder: string, name: string): void {
    const id = raceOf(name);
    this.#folders.set(id, [...(this.#folders.get(id) ?? []), folder]);
  }

  #count(name: string): void {
    const id = raceOf(name);
    this.#made.set(id, this.madeFor(id) + 1);
  }
}

/** `R1` of `R1-2-again`. */
const raceOf = (name: string): string => name.split('-')[0]!;

/** Whether it has come to an end that says something. */
export const isComplete = (tried: Tried): tried is Attempted =>
  tried !== undefined &&
  tried !== 'no space' &&
  !tried.outcome.hung &&
  tried.diverged === undefined;
