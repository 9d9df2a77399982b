/**
 * The user's own idea of what is right: `--check 'CMD'`. It is run by a shell after a run, with the
 * files as that run has left them, in a sandbox of its own whose changes are thrown away. It passes
 * if its exit status is 0.
 *
 *   --check 'test "$(cat counter)" = 2'
 *   --check 'sort "$DEADHEAT_BRANCH/stdout" | cmp - "$DEADHEAT_RECORDED/stdout"'
 *
 * Its environment is the program's, and
 *
 *   DEADHEAT_RECORDED   a folder with what the recorded run has left: see run-view.ts
 *   DEADHEAT_BRANCH     the same of the run that is checked
 *   DEADHEAT_EXIT       the exit status of the command in that run, such as 0, or the name of the
 *                       signal that ended it, such as SIGSEGV; `hung` if it did not end by itself
 */
import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBytes, encodeBytes, printable } from '../../base/bytes.ts';
import { awaiting } from '../../base/resting.ts';
import { ownEnvironment } from '../../linux/own-inheritance.ts';
import { prepareSandbox } from '../../linux/sandbox/prepare.ts';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import { signalName } from '../../linux/signals.ts';
import type { Finding } from './finding.ts';
import type { RunOutcome } from './outcome.ts';
import { makeRunView } from './run-view.ts';
import { runShell } from './unrecorded-run.ts';

export interface UserCheck {
  readonly command: string;
  /** Where the program ran. */
  readonly cwd: string;
  /** What it is not to see, as the program did not: the folder of the runs. */
  readonly hidden: string;
  /** How long it may take. */
  readonly seconds: number;
  /** Ends it sooner. */
  readonly over?: AbortSignal;
}

export interface CheckedRun {
  readonly recorded: RunOutcome;
  /** The one to check; may be the recorded one. */
  readonly branch: RunOutcome;
}

export interface CheckResult {
  /** How the check ended; undefined if it did not in time: then it says nothing about the run. */
  readonly exit: RunOutcome['exit'] | undefined;
  /** The end of what it said. */
  readonly output: string;
}

export const passes = ({ exit }: CheckResult): boolean =>
  exit !== undefined && 'code' in exit && exit.code === 0;

/** Only if it passes for the recorded run: otherwise it says nothing about the race. */
export function userCheckFinding(
  command: string,
  recorded: CheckResult,
  branch: CheckResult,
): Finding | undefined {
  if (!passes(recorded) || passes(branch) || branch.exit === undefined) return undefined;
  const { exit, output } = branch;
  const end = 'code' in exit ? `exit status ${exit.code}` : `death by ${signalName(exit.signal)}`;
  const said = output.split('\n').filter(Boolean).slice(-MOST_LINES).map(printable);
  return {
    checker: 'user-check',
    evidence: [`the check ${printable(command)} fails: ${end}`, ...said].join('\n'),
  };
}

/** `scratch`: an absolute path at which there is nothing; there will be nothing afterwards. */
export async function runUserCheck(
  { command, cwd, hidden, seconds, over }: UserCheck,
  { recorded, branch }: CheckedRun,
  scratch: string,
): Promise<CheckResult> {
  const view = mkdtempSync(join(tmpdir(), 'deadheat-check-'));
  const [forRecorded, forBranch] = [`${view}/recorded`, `${view}/branch`];
  const output = openSync(`${view}/output`, 'ax+');
  try {
    mkdirSync(encodeBytes(scratch));
    const shown = [...makeRunView(forRecorded, recorded), ...makeRunView(forBranch, branch)];
    const place = { cwd, changes: scratch, hidden };
    const plan = prepareSandbox(place, { earlier: branch.layers, shown });
    const environment = [
      ...ownEnvironment(),
      `DEADHEAT_RECORDED=${forRecorded}`,
      `DEADHEAT_BRANCH=${forBranch}`,
      `DEADHEAT_EXIT=${shownExit(branch)}`,
    ];
    const exit = await awaiting(runShell({ command, environment, plan, output, seconds, over }));
    return { exit, output: endOfFile(output) };
  } finally {
    closeSync(output);
    removeTree(scratch);
    removeTree(view);
  }
}

function shownExit({ exit, hung }: RunOutcome): string {
  if (hung) return 'hung';
  return 'code' in exit ? String(exit.code) : signalName(exit.signal);
}

const MOST_LINES = 5;
const MOST_BYTES = 4096;

function endOfFile(file: number): string {
  const { size } = fstatSync(file);
  const length = Math.min(size, MOST_BYTES);
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, size - length);
  return decodeBytes(bytes);
}
