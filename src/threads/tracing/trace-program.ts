/** Runs a program and leaves a trace of what its threads did. */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';

export interface TraceProgramOptions {
  /** Of the deadheat that makes the run. */
  readonly version: string;
  /** Libraries to trace beside the executable. */
  readonly also: readonly string[];
  /** After this time the program is ended. */
  readonly timeoutMs?: number | undefined;
  /** The user's -o DIR. */
  readonly output?: string | undefined;
}

/** How the program ended. */
export type ProgramEnd = { status: number } | { signal: number };

export async function traceCommand(
  _command: readonly string[],
  _options: TraceProgramOptions,
): Promise<ProgramEnd> {
  throw new UserError(
    'this deadheat cannot trace programs yet',
    'traces of other tools can be read with --import FILE',
    ExitStatus.unavailable,
  );
}
