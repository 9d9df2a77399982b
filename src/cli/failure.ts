/**
 * What a user sees when something went wrong, and the exit status that goes with it:
 *
 *   deadheat: cannot run './a.txt': not executable; chmod +x './a.txt'          (2)
 *   deadheat: the disk is full …; free some space or use -o DIR                 (69)
 *   deadheat: this is a bug in deadheat: … + stack                              (70)
 */
import { CommanderError } from 'commander';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

/** Prints the error, if it has not been printed yet, and says how to exit. */
export function explainFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    // --help and --version also arrive here; commander has already printed its message.
    return error.exitCode === 0 ? ExitStatus.clean : ExitStatus.usage;
  }
  if (error instanceof UserError) {
    process.stderr.write(`deadheat: ${error.message}; ${error.remedy}\n`);
    return error.status;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(
    `deadheat: this is a bug in deadheat; please report it with the lines below\n${stack}\n`,
  );
  return ExitStatus.internal;
}

/**
 * Commander's message as one line of ours:
 *
 *   error: unknown option '--jsn'\n(Did you mean --json?)
 *   deadheat: unknown option '--jsn'; did you mean --json?
 */
export function usageMessage(commanderText: string): string {
  const [problem = '', suggestion] = commanderText
    .replace(/^error: /, '')
    .trim()
    .split('\n');
  const remedy = suggestion
    ? suggestion.replace(/^\(Did/, 'did').replace(/\)$/, '')
    : 'see deadheat --help';
  return `deadheat: ${problem.replace(/\.$/, '')}; ${remedy}\n`;
}
