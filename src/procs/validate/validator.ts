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
import { dirname, join } from 'node:path';
import { signalName } from '../../linux/signals.ts';
import type { Race } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import { checkBranch } from '../check/checkers.ts';
import { differingPaths, finalFilesOfRuns, type LeftOut, sameFiles } from '../check/final-files.ts';
import type { Around, Finding } from '../check/finding.ts';
import { eitherOf, ignoredFiles } from '../check/ignored-files.ts';
import type { OrderInFiles } from '../check/order-in-files.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { unstableFiles } from '../check/unstable-files.ts';
import { discard, isFull } from './attempt-folders.ts';
import type { AttemptPool } from './attempt-pool.ts';
import type { Attempted } from './attempt-thread.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import type { Way } from './request.ts';
import { UserChecks } from './user-checks.ts';

/** With how long it took to reach it. */
export type Verdict = Judged & { readonly milliseconds: number };

type Judged =
  | { kind: 'harmful'; findings: readonly Finding[]; told: Attempted['told'] }
  | { kind: 'benign' }
  | { kind: 'diverged'; reason: string };

export interface ValidatorOptions {
  /** How long one attempt may take; absent: in relation to the recorded run. */
  readonly limitMs?: number | undefined;
  /** Files that do not count. */
  readonly ignoreFiles: readonly string[];
  /** The user's own checkers: commands. */
  readonly checks: readonly string[];
}

const NO_SPACE = 'there is no space left to run it';

const SHORTEST_LIMIT_MS = 5000;
/** As long as nobody knows how long it takes. */
const FIRST_LIMIT_MS = 600_000;
/** So many times as long as the recorded order took under the same conditions. */
const LIMIT_FACTOR = 10;

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

class OutOfTime extends Error {}

function ifOutOfTime(error: unknown): 'no time' {
  if (error instanceof OutOfTime) return 'no time';
  throw error;
}

export class Validator {
  readonly #run: Run;
  readonly #pool: AttemptPool;
  readonly #options: ValidatorOptions;
  readonly #filesOf = finalFilesOfRuns();
  readonly #around: Omit<Around, 'serialOrders' | 'unstable'>;
  #unstable: Around['unstable'] = { has: () => false };
  #recorded: readonly RunOutcome[] = [];
  /** By race and instance. */
  readonly #serial = new Map<string, Promise<readonly RunOutcome[]>>();
  /** By the id of the race that they were made for. */
  readonly #folders = new Map<string, Set<string>>();
  #lackedSpace = false;
  #isTimeUp = (): boolean => false;
  #userChecks: UserChecks | undefined;
  #limitMs: number;

  constructor(run: Run, pool: AttemptPool, orderIn: OrderInFiles, options: ValidatorOptions) {
    const { cwd } = run.info;
    this.#run = run;
    this.#pool = pool;
    this.#options = options;
    this.#limitMs = options.limitMs ?? SHORTEST_LIMIT_MS;
    const ignored = ignoredFiles(options.ignoreFiles, cwd);
    this.#around = { cwd, ignored, orderIn, filesOf: this.#filesOf };
  }

  /** Runs the recorded order; undefined if that goes well, otherwise why it does not. */
  async prepare(): Promise<string | undefined> {
    const recorded = recordedOutcome(this.#run);
    const again = await this.#try({ kind: 'recorded' }, 'recorded', FIRST_LIMIT_MS);
    if (again === 'no space') return NO_SPACE;
    if (!again) return 'the recording has no order';
    this.#limitMs =
      this.#options.limitMs ?? Math.max(SHORTEST_LIMIT_MS, LIMIT_FACTOR * again.milliseconds);
    const { outcome, diverged } = again;
    this.#unstable = unstableFiles(this.#filesOf(recorded), this.#filesOf(outcome));
    // What was written to the terminal then is not known, but what is written in that order now.
    const { stdout, stderr } = outcome;
    this.#recorded = [
      { ...recorded, stdout, stderr },
      ...(diverged === undefined ? [outcome] : []),
    ];
    this.#userChecks = await UserChecks.on(this.#run, this.#options.checks, this.#recorded[0]!);
    return diverged;
  }

  /** What weakens the result. */
  get warnings(): readonly string[] {
    const [recorded] = this.#recorded;
    const exit = recorded?.exit;
    // What was ended by us says nothing of how it would have ended.
    const failure =
      exit &&
      !recorded.hung &&
      ('code' in exit
        ? exit.code !== 0 && `with status ${exit.code}`
        : `by ${signalName(exit.signal)}`);
    return [
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

  /** From then on nothing more is tried. */
  endWhen(isTimeUp: () => boolean): void {
    this.#isTimeUp = isTimeUp;
  }

  /** undefined: the time was up before there was one. */
  async verdictOn(race: number, { id, object }: Race): Promise<Verdict | undefined> {
    const began = performance.now();
    try {
      const judged = await this.#judgeInstances(race, { id, contested: object.name });
      return judged && { ...judged, milliseconds: performance.now() - began };
    } finally {
      for (const folder of this.#folders.get(id) ?? []) discard(folder);
    }
  }

  /** One instance after the other, until one does harm. */
  async #judgeInstances(race: number, subject: Subject): Promise<Judged | undefined> {
    let reason: string | undefined;
    let best: Judged = { kind: 'diverged', reason: 'something else orders them' };
    for (let instance = 0; instance < MOST_INSTANCES && best.kind !== 'harmful'; instance++) {
      const way = { kind: 'branch', race, instance } as const;
      const judged = await this.#judge(way, subject).catch(ifOutOfTime);
      if (judged === 'no time') return best.kind === 'benign' ? best : undefined;
      if (!judged) break;
      if (RANKS[judged.kind] > RANKS[best.kind] || instance === 0) best = judged;
      // It went astray at the same place as before: others will, too.
      const isSame = judged.kind === 'diverged' && judged.reason === reason;
      if (isSame && instance > 1) break;
      reason = judged.kind === 'diverged' ? judged.reason : undefined;
    }
    return best;
  }

  /** undefined: there is no such instance, or it cannot be the other way round. */
  async #judge(way: Way & { kind: 'branch' }, subject: Subject): Promise<Judged | undefined> {
    const first = await this.#tryFor(subject.id, way, '1');
    if (first === 'no space') return { kind: 'diverged', reason: NO_SPACE };
    if (!first) return undefined;
    if (first.diverged !== undefined) return { kind: 'diverged', reason: first.diverged };
    const found = await this.#check(first, way, subject);
    if (found.length === 0) return { kind: 'benign' };
    const second = await this.#tryFor(subject.id, way, '2');
    const foundAgain =
      second && second !== 'no space' && !second.diverged
        ? await this.#check(second, way, subject)
        : [];
    const both = found.filter(({ checker }) => foundAgain.some((one) => one.checker === checker));
    if (both.length === 0) return { kind: 'benign' };
    return { kind: 'harmful', findings: both, told: first.told };
  }

  /** Serial orders are only run if nothing else tells of harm. */
  async #check(
    { outcome }: Attempted,
    { race, instance }: Instance,
    { id, contested }: Subject,
  ): Promise<readonly Finding[]> {
    const check = (serial: readonly RunOutcome[]): Finding[] =>
      checkBranch(this.#recorded, outcome, {
        ...this.#around,
        unstable: this.#unstable,
        contested,
        serialOrders: () => serial.map(this.#filesOf),
      });
    const found = [...check([]), ...((await this.#userChecks?.check(outcome)) ?? [])];
    if (found.length > 0 || !this.#differs(outcome)) return found;
    const serial = await this.#serialOrders({ race, instance }, id);
    const unlike = check(serial);
    if (unlike.length === 0) return unlike;
    // Others than the two that race may have come in any order, here or as it was recorded.
    const like = await this.#ordersLike(outcome, serial, `${instance}`, id);
    return like.length > 0 ? check([...serial, ...like]) : unlike;
  }

  async #ordersLike(
    outcome: RunOutcome,
    serial: readonly RunOutcome[],
    name: string,
    id: string,
  ): Promise<readonly RunOutcome[]> {
    const outcomes: RunOutcome[] = [];
    const traces = [join(dirname(outcome.stdout), 'trace.bin'), this.#run.traceFile];
    for (const [index, run] of [outcome, this.#recorded[0]!].entries()) {
      const paths = serial.flatMap((order) =>
        differingPaths(this.#filesOf(order), this.#filesOf(run), this.#except),
      );
      if (paths.length === 0) continue;
      const way = { kind: 'serial-like', trace: traces[index]!, paths } as const;
      const tried = await this.#tryFor(id, way, `${name}-like-${index + 1}`);
      if (tried && tried !== 'no space' && !tried.outcome.hung) outcomes.push(tried.outcome);
    }
    return outcomes;
  }

  #differs(outcome: RunOutcome): boolean {
    return this.#recorded.some(
      (recorded) => !sameFiles(this.#filesOf(recorded), this.#filesOf(outcome), this.#except),
    );
  }

  get #except(): LeftOut {
    const { ignored, orderIn } = this.#around;
    return eitherOf(eitherOf(ignored, this.#unstable), orderIn.locked);
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
      const tried = await this.#tryFor(id, way, `${instance}-serial-${turned ? 2 : 1}`);
      if (tried && tried !== 'no space' && !tried.outcome.hung) outcomes.push(tried.outcome);
    }
    return outcomes;
  }

  #tryFor(id: string, way: Way, name: string): Tried {
    const folders = this.#folders.get(id) ?? new Set();
    this.#folders.set(id, folders.add(this.#folder(`${id}-${name}`)));
    return this.#try(way, `${id}-${name}`);
  }

  #folder(name: string): string {
    return join(this.#run.path, 'attempts', name);
  }

  /** A program that fails for want of space says nothing about an order. */
  async #try(way: Way, name: string, limitMs = this.#limitMs): Tried {
    if (this.#isTimeUp()) throw new OutOfTime();
    const folder = this.#folder(name);
    discard(folder);
    const run = this.#pool.run(way, folder, this.#options.limitMs ?? limitMs);
    const tried = await run.catch((error: unknown) => {
      if (!isFull(this.#run)) throw error;
      return undefined;
    });
    if (!isFull(this.#run)) return tried;
    this.#lackedSpace = true;
    return 'no space';
  }
}
