/** The command itself ends in another way than in the recorded run, for better or for worse. */
import { signalName } from '../../../linux/signals.ts';
import type { Checker } from '../finding.ts';
import type { RunOutcome } from '../outcome.ts';

const shown = ({ exit }: RunOutcome): string =>
  'code' in exit ? `exit status ${exit.code}` : `death by ${signalName(exit.signal)}`;

export const exitStatus: Checker = (recorded, branch) => {
  if (recorded.hung || branch.hung || shown(recorded) === shown(branch)) return undefined;
  const areNumbers = 'code' in recorded.exit && 'code' in branch.exit;
  const before = areNumbers ? shown(recorded).replace('exit status ', '') : shown(recorded);
  return { checker: 'exit-status', evidence: `${shown(branch)} instead of ${before}` };
};
