import { writeFileSync } from 'node:fs';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

/** Writes to the file the user named; `-` is stdout. */
export function writeOutput(file: string, text: string): void {
  if (file === '-') {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

export function cannotWrite(file: string, error: unknown): UserError {
  const { code } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new UserError(
    `cannot write '${file}' (${code})`,
    isFull
      ? 'free some space, or name a file elsewhere'
      : 'name a file in a folder you may write to',
    isFull ? ExitStatus.unavailable : ExitStatus.usage,
  );
}
