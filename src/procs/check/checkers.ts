/**
 * Whether a run in another order did harm. Each checker compares it with the recorded run in one
 * respect, and is silent about what was wrong there already:
 *
 *   recorded: exit status 0, branch: exit status 2     exit-status: 'exit status 2 instead of 0'
 *   recorded: exit status 2, branch: exit status 2     nothing
 *
 * If the recorded order has been run more than once, what one of those runs shows as well is no
 * harm of the other order's.
 */
import { death } from './checkers/death.ts';
import { errorLines } from './checkers/error-lines.ts';
import { exitStatus } from './checkers/exit-status.ts';
import { finalFiles } from './checkers/final-files.ts';
import { hang } from './checkers/hang.ts';
import { leftovers } from './checkers/leftovers.ts';
import type { Around, Checker, Finding } from './finding.ts';
import type { RunOutcome } from './outcome.ts';

/** Those that say the most come first; the files last: they may need further runs. */
const CHECKERS: readonly Checker[] = [death, exitStatus, hang, errorLines, leftovers, finalFiles];

/** `recorded`: at least one run of the recorded order. */
export function checkBranch(
  recorded: readonly RunOutcome[],
  branch: RunOutcome,
  around: Around,
): Finding[] {
  return CHECKERS.flatMap((checker) => {
    const found = recorded.map((run) => checker(run, branch, around));
    return found.every((finding) => finding !== undefined) ? found.slice(0, 1) : [];
  });
}
