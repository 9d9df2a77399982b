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
  readonly #over: AbortSignal;
  readonly #warnings = new Set<string>();
  readonly #recorded: RunOutcome;
  /** Those that pass for the recorded run. */
  readonly #checks: Checked[] = [];

  /** `over` also ends checks that are running. */
  constructor(run: Run, recorded: RunOutcome, over: AbortSignal) {
    this.#run = run;
    this.#recorded = recorded;
    this.#over = over;
  }

  /** Sees how they end for the recorded run; only those that pass can tell anything of others. */
  async prepare(commands: readonly string[]): Promise<void> {
    for (const command of commands) {
      const result = await this.#perform(command, this.#recorded);
      if (passes(result)) this.#checks.push({ command, result });
      else if (result.exit) {
        this.#warn(command, 'fails for the recorded run already, and so tells nothing');
      }
    }
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  async check(branch: RunOutcome): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const { command, result } of this.#checks) {
      const now = await this.#perform(command, branch);
      const finding = userCheckFinding(command, result, now);
      if (finding) found.push(finding);
    }
    return found;
  }

  async #perform(command: string, branch: RunOutcome): Promise<CheckResult> {
    const { path, home, info } = this.#run;
    const scratch = join(path, 'attempts', `check-${++performed}`);
    const check = { command, cwd: info.cwd, hidden: home, seconds: SECONDS, over: this.#over };
    const result = await runUserCheck(check, { recorded: this.#recorded, branch }, scratch);
    // If we have ended it, that is not its fault.
    if (!result.exit && !this.#over.aborted) {
      this.#warn(command, `did not end within ${SECONDS} seconds, and then tells nothing`);
    }
    return result;
  }

  #warn(command: string, trouble: string): void {
    this.#warnings.add(`--check '${command}' ${trouble}`);
  }
}

/** Several may be on their way at once. */
let performed = 0;
