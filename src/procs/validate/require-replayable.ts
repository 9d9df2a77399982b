/** Whether a recorded run can be run again from where it started; if not, why, and what to do. */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import type { Run } from '../../trace/run-directory.ts';

export function requireReplayable({ name, info }: Run): void {
  const { files, state } = info;
  if (state !== 'complete') {
    throw new UserError(`${name} is not complete, so it cannot be run again`, 'record it again');
  }
  if (files?.in === 'sandbox' && !files.kept) return;
  const why =
    files?.in === 'sandbox'
      ? 'its changes were kept, so that the files are no longer as they were when it started'
      : 'it was recorded in place, so that nobody knows how the files were when it started';
  throw new UserError(
    `${name} cannot be run again: ${why}`,
    'record it without --keep and --in-place',
    ExitStatus.unavailable,
  );
}
