/**
 * Finds out which races do harm, by running each the other way round (branch/branch.ts) and
 * comparing how that ends with how the recorded order ends (check/checkers.ts).
 *
 *   diverged   the program did not get to the race that way; nothing is proven
 *   benign     it did, and ended as well as it does otherwise
 *   harmful    a checker found something, and again when the same was run a second time
 */
import { dirname } from 'node:path';
import { signalName } from '../../linux/signals.ts';
import type { Race } from '../../report/model.ts';
import { DID_NOT_END } from '../../trace/new-run-info.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { OrderInFiles } from '../check/order-in-files.ts';
import type { AttemptPool } from './attempt-pool.ts';
import { Attempts } from './attempts.ts';
import { type Baseline, NO_BASELINE, runRecordedOrder } from './baseline.ts';
import { BranchChecks } from './branch-checks.ts';
import { Judge } from './judge.ts';
import type { Judged, Verdict } from './verdict.ts';

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

/** Of one root cause. */
const MOST_INSTANCES = 5;

const RANKS: Record<Judged['kind'], number> = { diverged: 0, benign: 1, harmful: 2 };

export class Validator {
  readonly #run: Run;
  readonly #pool: AttemptPool;
  readonly #options: ValidatorOptions;
  readonly #attempts: Attempts;
  readonly #checks: BranchChecks;
  readonly #judge: Judge;
  #baseline = NO_BASELINE;
  #recordedMs: number | undefined;

  constructor(run: Run, pool: AttemptPool, orderIn: OrderInFiles, options: ValidatorOptions) {
    this.#run = run;
    this.#pool = pool;
    this.#options = options;
    this.#attempts = new Attempts(run, pool, options.limitMs);
    this.#checks = new BranchChecks(run, this.#attempts, orderIn, options.ignoreFiles);
    this.#judge = new Judge(this.#attempts, this.#checks);
  }

  /** What others are compared with. */
  get baseline(): Baseline {
    return { ...this.#baseline, limitMs: this.#attempts.limitMs };
  }

  /** Runs the recorded order; undefined if that goes well, otherwise why it does not. */
  async prepare(): Promise<string | undefined> {
    const { baseline: given, checks, over } = this.#options;
    const filesOf = this.#checks.filesOf;
    const { baseline, trouble, milliseconds } = given
      ? { baseline: given }
      : await runRecordedOrder(this.#run, this.#attempts, filesOf, over);
    this.#recordedMs = milliseconds;
    if (baseline) this.#baseline = baseline;
    const [recorded] = this.#baseline.recorded;
    this.#attempts.allow(this.#baseline.limitMs, recorded?.hung ?? false);
    await this.#checks.prepare(this.#baseline, checks, over);
    return trouble;
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
      ...this.#checks.warnings,
      ...(this.#attempts.lackedSpace
        ? [`there was too little space in ${this.#run.path} to run all of them`]
        : []),
    ];
  }

  /**
   * Tries one instance after the other, until one does harm. undefined if there was not time enough
   * to say either: what was cut short proves nothing.
   */
  async verdictOn(race: number, told: Race, isDoubtful: boolean): Promise<Verdict | undefined> {
    const began = performance.now();
    const { id } = told;
    const best = await this.#pool.trying(() => this.#bestOf(race, told, isDoubtful));
    const milliseconds = performance.now() - began;
    this.#tidyUp(id, best);
    return best && { ...best, milliseconds, attempts: this.#attempts.madeFor(id) };
  }

  /** When nothing is left of runs that turned out not to be needed. */
  async close(): Promise<void> {
    await this.#attempts.cleared();
  }

  async #bestOf(
    race: number,
    { id, object }: Race,
    isDoubtful: boolean,
  ): Promise<Judged | undefined> {
    const subject = { id, contested: object.name };
    let reason: string | undefined;
    let best: Judged = { kind: 'diverged', reason: 'something else orders them' };
    const most = isDoubtful ? 1 : MOST_INSTANCES;
    for (let instance = 0; instance < most && best.kind !== 'harmful'; instance++) {
      const judged = await this.#judge.judge({ kind: 'branch', race, instance }, subject);
      if (this.#isOver) return undefined;
      if (!judged) break;
      // It went astray at the same place as before: others will, too.
      const isSame = judged.kind === 'diverged' && judged.reason === reason;
      if (isSame && instance > 1) break;
      reason = judged.kind === 'diverged' ? judged.reason : undefined;
      if (RANKS[judged.kind] > RANKS[best.kind] || instance === 0) best = judged;
    }
    if (best.kind !== 'diverged') return best;
    const ambushed = await this.#judge.judge({ kind: 'ambush', race }, subject);
    if (this.#isOver) return undefined;
    return ambushed && ambushed.kind !== 'diverged' ? ambushed : best;
  }

  get #isOver(): boolean {
    return this.#options.over.aborted;
  }

  /** What a run has left is kept if it shows harm, or if further races are to be looked for in it. */
  #tidyUp(id: string, judged: Judged | undefined): void {
    const isKept =
      judged?.kind === 'harmful' || (judged?.kind === 'benign' && this.#options.keepsRuns);
    this.#attempts.tidyUp(id, isKept ? dirname(judged.outcome.stdout) : undefined);
  }
}
