/** The user's own checkers (check/user-check.ts), all of them, on one run after the other. */
import { join } from 'node:path';
import type { Run } from '../../trace/run-directory.ts';
import type { Finding } from '../check/finding.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { type CheckResult, passes, runUserCheck, userCheckFinding } from '../check/user-check.ts';

/** A check that takes longer says nothing. */
const SECONDS = 60;

interface Checked {
  readonly command: string;
  readonly result: CheckResult;
}

export class UserChecks {
  readonly #run: Run;
  readonly #recorded: RunOutcome;
  /** Each with how it ended for the recorded run. */
  readonly #checks: readonly Checked[];

  private constructor(run: Run, recorded: RunOutcome, checks: readonly Checked[]) {
    this.#run = run;
    this.#recorded = recorded;
    this.#checks = checks;
  }

  static async on(
    run: Run,
    commands: readonly string[],
    recorded: RunOutcome,
  ): Promise<UserChecks> {
    const checks: Checked[] = [];
    for (const command of commands) {
      checks.push({ command, result: await perform(run, command, recorded, recorded) });
    }
    return new UserChecks(run, recorded, checks);
  }

  get warnings(): readonly string[] {
    const failing = this.#checks.filter(({ result }) => !passes(result));
    return failing.map(
      ({ command }) =>
        `--check '${command}' fails for the recorded run already, and so tells nothing`,
    );
  }

  async check(branch: RunOutcome): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const { command, result } of this.#checks) {
      if (!passes(result)) continue;
      const now = await perform(this.#run, command, this.#recorded, branch);
      const finding = userCheckFinding(command, result, now);
      if (finding) found.push(finding);
    }
    return found;
  }
}

/** Several may be on their way at once. */
let performed = 0;

function perform(
  { path, home, info: { cwd } }: Run,
  command: string,
  recorded: RunOutcome,
  branch: RunOutcome,
): Promise<CheckResult> {
  const scratch = join(path, 'attempts', `check-${++performed}`);
  const check = { command, cwd, hidden: home, seconds: SECONDS };
  return runUserCheck(check, { recorded, branch }, scratch);
}
