/**
 * Looks for harm in how an attempt ended: with the built-in checkers, the user's own, and, where the files it
 * has left are not those of the recorded order, beside those of serial orders, which are run for it.
 */
import { basename, dirname, join } from 'node:path';
import type { Run } from '../../trace/run-directory.ts';
import { checkBranch } from '../check/checkers.ts';
import { differingPaths, finalFilesOfRuns, type LeftOut, sameFiles } from '../check/final-files.ts';
import type { Around, Finding } from '../check/finding.ts';
import { eitherOf, ignoredFiles } from '../check/ignored-files.ts';
import type { OrderInFiles } from '../check/order-in-files.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { type Attempts, isComplete, type Named } from './attempts.ts';
import { type Baseline, NO_BASELINE } from './baseline.ts';
import type { Way } from './request.ts';
import { UserChecks } from './user-checks.ts';

/** What is being tried. */
export interface Subject {
  readonly id: string;
  /** What they fight over. */
  readonly contested: string;
  /** Which serial orders there are to compare with. */
  readonly instance: Instance;
}

type Instance = Pick<Way & { kind: 'branch' }, 'race' | 'instance'>;

export class BranchChecks {
  readonly filesOf = finalFilesOfRuns();
  readonly #run: Run;
  readonly #attempts: Attempts;
  readonly #around: Omit<Around, 'serialOrders' | 'unstable'>;
  /** By race and instance. */
  readonly #serial = new Map<string, Promise<readonly RunOutcome[]>>();
  #baseline = NO_BASELINE;
  #userChecks: UserChecks | undefined;

  /** `ignoreFiles`: patterns of the user. */
  constructor(run: Run, attempts: Attempts, orderIn: OrderInFiles, ignoreFiles: readonly string[]) {
    const { cwd } = run.info;
    this.#run = run;
    this.#attempts = attempts;
    const ignored = ignoredFiles(ignoreFiles, cwd);
    this.#around = { cwd, ignored, orderIn, filesOf: this.filesOf };
  }

  /** `commands`: the user's own checkers. */
  async prepare(baseline: Baseline, commands: readonly string[], over: AbortSignal): Promise<void> {
    this.#baseline = baseline;
    const [recorded] = baseline.recorded;
    if (recorded) this.#userChecks = new UserChecks(this.#run, recorded, over);
    await this.#userChecks?.prepare(commands);
  }

  get warnings(): readonly string[] {
    return this.#userChecks?.warnings ?? [];
  }

  /** Serial orders are only run if nothing else tells of harm. */
  async check(outcome: RunOutcome, subject: Subject): Promise<readonly Finding[]> {
    const { contested } = subject;
    const check = (serial: readonly RunOutcome[]): Finding[] =>
      checkBranch(this.#baseline.recorded, outcome, {
        ...this.#around,
        unstable: this.#baseline.unstable,
        contested,
        serialOrders: () => serial.map(this.filesOf),
      });
    const found = [...check([]), ...((await this.#userChecks?.check(outcome)) ?? [])];
    if (found.length > 0 || !this.#differs(outcome)) return found;
    const serial = await this.#serialOrders(subject);
    const unlike = check(serial);
    if (unlike.length === 0) return unlike;
    // Others than the two that race may have come in any order, here or as it was recorded.
    const like = await this.#ordersLike(outcome, serial, subject.id);
    return like.length > 0 ? check([...serial, ...like]) : unlike;
  }

  #differs(outcome: RunOutcome): boolean {
    return this.#baseline.recorded.some(
      (recorded) => !sameFiles(this.filesOf(recorded), this.filesOf(outcome), this.#except),
    );
  }

  get #except(): LeftOut {
    const { ignored, orderIn } = this.#around;
    return eitherOf(eitherOf(ignored, this.#baseline.unstable), orderIn.locked);
  }

  #serialOrders({ instance, id }: Subject): Promise<readonly RunOutcome[]> {
    const key = `${instance.race}/${instance.instance}`;
    const known = this.#serial.get(key);
    if (known) return known;
    const orders = this.#runSerially(instance, id);
    this.#serial.set(key, orders);
    return orders;
  }

  async #runSerially({ race, instance }: Instance, id: string): Promise<readonly RunOutcome[]> {
    const order = (turned: boolean): Named => ({
      way: { kind: 'serial', race, instance, turned },
      name: `${id}-${instance + 1}-serial-${turned ? 2 : 1}`,
    });
    const tried = await this.#attempts.tryBoth(order(false), order(true));
    return tried.filter(isComplete).map(({ outcome }) => outcome);
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
        differingPaths(this.filesOf(order), this.filesOf(run), this.#except),
      );
      if (paths.length === 0) continue;
      const tried = await this.#attempts.try({ kind: 'serial-like', trace, paths }, name);
      if (isComplete(tried)) outcomes.push(tried.outcome);
    }
    return outcomes;
  }
}
