/**
 * Finds out which races do harm, by running each the other way round (branch/branch.ts) and
 * comparing how that ends with how the recorded order ends (check/checkers.ts).
 *
 *   diverged   the program did not get to the race that way; nothing is proven
 *   benign     it did, and ended as well as it does otherwise
 *   harmful    a checker found something, and again when the same was run a second time
 *
 * To have something to compare with, the recorded order is run first. What differs between that
 * and the recording differs without any race.
 */
import { basename, dirname, join } from 'node:path';
import { signalName } from '../../linux/signals.ts';
import type { Race } from '../../report/model.ts';
import { DID_NOT_END } from '../../trace/new-run-info.ts';
import type { Run } from '../../trace/run-directory.ts';
import { checkBranch } from '../check/checkers.ts';
import { differingPaths, finalFilesOfRuns, type LeftOut, sameFiles } from '../check/final-files.ts';
import type { Around, Finding } from '../check/finding.ts';
import { eitherOf, ignoredFiles } from '../check/ignored-files.ts';
import type { OrderInFiles } from '../check/order-in-files.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { unstableFiles } from '../check/unstable-files.ts';
import { attemptFolder, discard, isFull } from './attempt-folders.ts';
import type { AttemptPool } from './attempt-pool.ts';
import type { Attempted } from './attempt-thread.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import type { Way } from './request.ts';
import { UserChecks } from './user-checks.ts';

/** With how long it took to reach it, and how many runs. */
export type Verdict = Judged & { readonly milliseconds: number; readonly attempts: number };

type Judged =
  | {
      kind: 'harmful';
      findings: readonly Finding[];
      told: Attempted['told'];
      isAmbush: boolean;
      outcome: RunOutcome;
    }
  | { kind: 'benign'; outcome: RunOutcome }
  | { kind: 'diverged'; reason: string };

export interface ValidatorOptions {
  /** How long one attempt may take; absent: in relation to the recorded run. */
  readonly limitMs?: number | undefined;
  /** Files that do not count. */
  readonly ignoreFiles: readonly string[];
  /** The user's own checkers: commands. */
  readonly checks: readonly string[];
  /** Whether what harmless attempts leave is of use. */
  readonly keepsRuns: boolean;
  /** To compare with, if not this run itself. */
  readonly baseline?: Baseline;
  /** Fires when no time is left: see time-allowed.ts. */
  readonly over: AbortSignal;
}

/** How the program ends in the order in which it was recorded first. */
export interface Baseline {
  readonly recorded: readonly RunOutcome[];
  /** Files that differ without another order. */
  readonly unstable: Around['unstable'];
  /** How long one attempt may take. */
  readonly limitMs: number;
}

const NO_SPACE = 'there is no space left to run it';

const SHORTEST_LIMIT_MS = 5000;
/** As long as nobody knows how long it takes. */
const FIRST_LIMIT_MS = 600_000;
/** So many times as long as the recorded order took under the same conditions. */
const LIMIT_FACTOR = 10;
/** A program that does not end takes all the time that it is given: so many times as long as it was recorded. */
const ENDLESS_FACTOR = 2;

/** Of one root cause. */
const MOST_INSTANCES = 5;

/** What is being tried. */
interface Subject {
  readonly id: string;
  /** What they fight over. */
  readonly contested: string;
}

type Tried = Promise<Attempted | 'no space' | undefined>;
type Instance = Pick<Way & { kind: 'branch' }, 'race' | 'instance'>;

const RANKS: Record<Judged['kind'], number> = { diverged: 0, benign: 1, harmful: 2 };

export class Validator {
  readonly #run: Run;
  readonly #pool: AttemptPool;
  readonly #options: ValidatorOptions;
  readonly #filesOf = finalFilesOfRuns();
  readonly #around: Omit<Around, 'serialOrders' | 'unstable'>;
  #baseline: Baseline = {
    recorded: [],
    unstable: { has: () => false },
    limitMs: SHORTEST_LIMIT_MS,
  };
  /** By race and instance. */
  readonly #serial = new Map<string, Promise<readonly RunOutcome[]>>();
  #lackedSpace = false;
  #userChecks: UserChecks | undefined;
  /** Where attempts have left something, by the race for which they were made. */
  readonly #folders = new Map<string, readonly string[]>();
  /** How many were made, by the same. */
  readonly #attempts = new Map<string, number>();
  #recordedMs: number | undefined;

  constructor(run: Run, pool: AttemptPool, orderIn: OrderInFiles, options: ValidatorOptions) {
    const { cwd } = run.info;
    this.#run = run;
    this.#pool = pool;
    this.#options = options;
    const ignored = ignoredFiles(options.ignoreFiles, cwd);
    this.#around = { cwd, ignored, orderIn, filesOf: this.#filesOf };
  }

  /** What others are compared with. */
  get baseline(): Baseline {
    return this.#baseline;
  }

  /** Runs the recorded order; undefined if that goes well, otherwise why it does not. */
  async prepare(): Promise<string | undefined> {
    const trouble = this.#options.baseline ? undefined : await this.#runRecorded();
    if (this.#options.baseline) this.#baseline = this.#options.baseline;
    const { checks, over } = this.#options;
    const [recorded] = this.#baseline.recorded;
    if (recorded) this.#userChecks = new UserChecks(this.#run, recorded, over);
    await this.#userChecks?.prepare(checks);
    return trouble;
  }

  async #runRecorded(): Promise<string | undefined> {
    const { outcome: recorded, milliseconds: recordedMs } = recordedOutcome(this.#run);
    const isEndless = recorded.hung;
    const endlessMs = Math.max(SHORTEST_LIMIT_MS, ENDLESS_FACTOR * recordedMs);
    const firstLimitMs = isEndless ? endlessMs : FIRST_LIMIT_MS;
    const again = await this.#try({ kind: 'recorded' }, 'recorded', firstLimitMs);
    if (this.#isOver) return undefined;
    if (again === 'no space') return NO_SPACE;
    if (!again) return 'the recording has no order';
    const { milliseconds } = again;
    // Nobody can follow to its end what has none.
    const diverged = isEndless && again.outcome.hung ? undefined : again.diverged;
    this.#recordedMs = milliseconds;
    // Where it does not even get along that way, what goes wrong otherwise may have other reasons: the
    // sandbox, or that nobody answers. So what a free run shows as well does not count.
    const comparable = diverged === undefined ? again : await this.#try({ kind: 'free' }, 'free');
    if (this.#isOver) return undefined;
    const { outcome } = comparable && comparable !== 'no space' ? comparable : again;
    // What was written to the terminal then is not known, but what is written in that order now.
    const { stdout, stderr } = outcome;
    this.#baseline = {
      recorded: [{ ...recorded, stdout, stderr }, outcome],
      unstable: unstableFiles(this.#filesOf(recorded), this.#filesOf(outcome)),
      limitMs: isEndless ? endlessMs : Math.max(SHORTEST_LIMIT_MS, LIMIT_FACTOR * milliseconds),
    };
    return diverged;
  }

  /** How long the recorded order took, if it was run. */
  get recordedMs(): number | undefined {
    return this.#recordedMs;
  }

  /** What weakens the result. */
  get warnings(): readonly string[] {
    const [recorded] = this.#baseline.recorded;
    const exit = recorded?.exit;
    // What was ended by us says nothing of how it would have ended.
    const failure =
      exit &&
      !recorded.hung &&
      ('code' in exit
        ? exit.code !== 0 && `with status ${exit.code}`
        : `by ${signalName(exit.signal)}`);
    return [
      ...(this.#run.info.reason === DID_NOT_END
        ? [
            'the command did not end already as it was recorded; other orders are compared with that',
          ]
        : []),
      ...(failure
        ? [
            `the command ended ${failure} already as it was recorded; other orders are compared with that`,
          ]
        : []),
      ...(this.#userChecks?.warnings ?? []),
      ...(this.#lackedSpace
        ? [`there was too little space in ${this.#run.path} to run all of them`]
        : []),
    ];
  }

  /**
   * Tries one instance after the other, until one does harm. undefined if there was not time enough
   * to say either: what was cut short proves nothing.
   */
  async verdictOn(
    race: number,
    { id, object }: Race,
    isDoubtful: boolean,
  ): Promise<Verdict | undefined> {
    const began = performance.now();
    const subject = { id, contested: object.name };
    let reason: string | undefined;
    let best: Judged = { kind: 'diverged', reason: 'something else orders them' };
    const most = isDoubtful ? 1 : MOST_INSTANCES;
    for (let instance = 0; instance < most && best.kind !== 'harmful'; instance++) {
      const judged = await this.#judge({ kind: 'branch', race, instance }, subject);
      if (this.#isOver) return this.#dropped(id);
      if (!judged) break;
      // It went astray at the same place as before: others will, too.
      const isSame = judged.kind === 'diverged' && judged.reason === reason;
      if (isSame && instance > 1) break;
      reason = judged.kind === 'diverged' ? judged.reason : undefined;
      if (RANKS[judged.kind] > RANKS[best.kind] || instance === 0) best = judged;
    }
    if (best.kind === 'diverged') {
      const ambushed = await this.#judge({ kind: 'ambush', race }, subject);
      if (this.#isOver) return this.#dropped(id);
      if (ambushed && ambushed.kind !== 'diverged') best = ambushed;
    }
    const milliseconds = performance.now() - began;
    this.#tidyUp(id, best);
    return { ...best, milliseconds, attempts: this.#attempts.get(id) ?? 0 };
  }

  get #isOver(): boolean {
    return this.#options.over.aborted;
  }

  #dropped(id: string): undefined {
    this.#tidyUp(id, undefined);
    return undefined;
  }

  /** undefined: there is no such instance, or it cannot be the other way round. */
  async #judge(
    way: Way & { kind: 'branch' | 'ambush' },
    subject: Subject,
  ): Promise<Judged | undefined> {
    const name = `${subject.id}-${way.kind === 'ambush' ? 'ambush' : way.instance + 1}`;
    const first = await this.#tryInTime(way, name);
    if (first === 'no space') return { kind: 'diverged', reason: NO_SPACE };
    if (!first) return undefined;
    if (first.diverged !== undefined) return { kind: 'diverged', reason: first.diverged };
    const which = { race: way.race, instance: way.kind === 'ambush' ? 0 : way.instance };
    const found = await this.#check(first, which, subject);
    const { outcome } = first;
    if (found.length === 0) return { kind: 'benign', outcome };
    const second = await this.#try(way, `${name}-again`);
    const foundAgain =
      second && second !== 'no space' && !second.diverged
        ? await this.#check(second, which, subject)
        : [];
    const both = found.filter(({ checker }) => foundAgain.some((one) => one.checker === checker));
    if (both.length === 0) return { kind: 'benign', outcome };
    const isAmbush = way.kind === 'ambush';
    return { kind: 'harmful', findings: both, told: first.told, isAmbush, outcome };
  }

  /** Serial orders are only run if nothing else tells of harm. */
  async #check(
    { outcome }: Attempted,
    which: Instance,
    { id, contested }: Subject,
  ): Promise<readonly Finding[]> {
    const check = (serial: readonly RunOutcome[]): Finding[] =>
      checkBranch(this.#baseline.recorded, outcome, {
        ...this.#around,
        unstable: this.#baseline.unstable,
        contested,
        serialOrders: () => serial.map(this.#filesOf),
      });
    const found = [...check([]), ...((await this.#userChecks?.check(outcome)) ?? [])];
    if (found.length > 0 || !this.#differs(outcome)) return found;
    const serial = await this.#serialOrders(which, id);
    const unlike = check(serial);
    if (unlike.length === 0) return unlike;
    // Others than the two that race may have come in any order, here or as it was recorded.
    const like = await this.#ordersLike(outcome, serial, id);
    return like.length > 0 ? check([...serial, ...like]) : unlike;
  }

  async #ordersLike(
    outcome: RunOutcome,
    serial: readonly RunOutcome[],
    id: string,
  ): Promise<readonly RunOutcome[]> {
    const outcomes: RunOutcome[] = [];
    const folder = dirname(outcome.stdout);
    const runs = [
      { run: outcome, trace: join(folder, 'trace.bin'), name: `${basename(folder)}-like` },
      {
        run: this.#baseline.recorded[0]!,
        trace: this.#run.traceFile,
        name: `${id}-like-recorded`,
      },
    ];
    for (const { run, trace, name } of runs) {
      const paths = serial.flatMap((order) =>
        differingPaths(this.#filesOf(order), this.#filesOf(run), this.#except),
      );
      if (paths.length === 0) continue;
      const tried = await this.#try({ kind: 'serial-like', trace, paths }, name);
      if (isComplete(tried)) outcomes.push(tried.outcome);
    }
    return outcomes;
  }

  /** What a run has left is kept if it shows harm, or if further races are to be looked for in it. */
  #tidyUp(id: string, judged: Judged | undefined): void {
    const isKept =
      judged?.kind === 'harmful' || (judged?.kind === 'benign' && this.#options.keepsRuns);
    const kept = isKept ? dirname(judged.outcome.stdout) : undefined;
    for (const folder of this.#folders.get(id) ?? []) if (folder !== kept) discard(folder);
    this.#folders.delete(id);
  }

  #differs(outcome: RunOutcome): boolean {
    return this.#baseline.recorded.some(
      (recorded) => !sameFiles(this.#filesOf(recorded), this.#filesOf(outcome), this.#except),
    );
  }

  get #except(): LeftOut {
    const { ignored, orderIn } = this.#around;
    return eitherOf(eitherOf(ignored, this.#baseline.unstable), orderIn.locked);
  }

  #serialOrders(which: Instance, id: string): Promise<readonly RunOutcome[]> {
    const key = `${which.race}/${which.instance}`;
    const known = this.#serial.get(key);
    if (known) return known;
    const orders = this.#runSerially(which, id);
    this.#serial.set(key, orders);
    return orders;
  }

  async #runSerially({ race, instance }: Instance, id: string): Promise<readonly RunOutcome[]> {
    const outcomes: RunOutcome[] = [];
    for (const turned of [false, true]) {
      const way = { kind: 'serial', race, instance, turned } as const;
      const tried = await this.#try(way, `${id}-${instance + 1}-serial-${turned ? 2 : 1}`);
      if (isComplete(tried)) outcomes.push(tried.outcome);
    }
    return outcomes;
  }

  /**
   * The machine may have become slower since the recorded order was run. So before a run is said to hang,
   * that order is run once more: if it takes so long now that the limit is too tight, there is a new one.
   */
  async #tryInTime(way: Way, name: string): Tried {
    const tried = await this.#try(way, name);
    const hangs = tried && tried !== 'no space' && tried.outcome.hung && !tried.diverged;
    // Where the recorded order does not end either, or the user has said how long is too long, it is no matter.
    const isTold = this.#baseline.recorded[0]?.hung || this.#options.limitMs !== undefined;
    if (!hangs || isTold) return tried;
    const paced = await this.#try({ kind: 'recorded' }, `${name}-pace`, FIRST_LIMIT_MS);
    const limitMs = paced && paced !== 'no space' ? LIMIT_FACTOR * paced.milliseconds : 0;
    if (limitMs <= this.#baseline.limitMs) return tried;
    this.#baseline = { ...this.#baseline, limitMs };
    return this.#try(way, name);
  }

  /** A program that fails for want of space says nothing about an order. */
  async #try(way: Way, name: string, limitMs = this.#baseline.limitMs): Tried {
    const folder = attemptFolder(this.#run, name);
    discard(folder);
    const [id = name] = name.split('-');
    this.#folders.set(id, [...(this.#folders.get(id) ?? []), folder]);
    const run = this.#pool.run(way, folder, this.#options.limitMs ?? limitMs);
    const tried = await run.catch((error: unknown) => {
      if (!isFull(this.#run)) throw error;
      return undefined;
    });
    if (isFull(this.#run)) {
      this.#lackedSpace = true;
      return 'no space';
    }
    if (tried) this.#attempts.set(id, (this.#attempts.get(id) ?? 0) + 1);
    return tried;
  }
}

/** Whether it has come to an end that says something. */
const isComplete = (tried: Awaited<Tried>): tried is Attempted =>
  tried !== undefined &&
  tried !== 'no space' &&
  !tried.outcome.hung &&
  tried.diverged === undefined;
