/** Prepares a sandbox for a program of a run, or says why there can be none. */
import { mkdirSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { prepareSandbox } from '../linux/sandbox/prepare.ts';
import type { SandboxPlan } from '../linux/sandbox/sandbox.ts';
import type { Run } from '../trace/run-directory.ts';

/** `changes` is made. */
export function prepareIn(changes: string, { info: { cwd }, home }: Run): SandboxPlan {
  try {
    mkdirSync(encodeBytes(changes));
    return prepareSandbox({ cwd, changes, hidden: home });
  } catch (error) {
    throw new UserError(
      `cannot prepare a sandbox in ${changes}: ${(error as Error).message}`,
      'choose another place with -o DIR, or record with --in-place',
      ExitStatus.unavailable,
    );
  }
}
