/** What there is to run under trace; checked before a run directory is made, so that a slip leaves nothing behind. */
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import { resolveExecutable } from './executable.ts';
import { ownEnvironment, ownInheritance } from './own-inheritance.ts';
import { ownTracer } from './own-process.ts';
import type { Program } from './start-traced.ts';

export function prepareProgram(args: readonly string[]): Program {
  const path = resolveExecutable(args[0] ?? '');
  const tracer = ownTracer();
  if (tracer !== undefined) {
    throw new UserError(
      `deadheat is itself being traced by ${tracer}, and a program can have only one tracer`,
      'run it outside of that',
      ExitStatus.unavailable,
    );
  }
  return { path, args, environment: ownEnvironment(), inheritance: ownInheritance() };
}
