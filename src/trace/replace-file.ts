/** Writes a file in one step: whoever reads it sees the old contents or the new, never half of either. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

export function replaceFile(path: string, content: string | Uint8Array, mode = 0o666): void {
  const fresh = `${path}.${process.pid}.new`;
  try {
    writeFileSync(encodeBytes(fresh), content, { mode });
    renameSync(encodeBytes(fresh), encodeBytes(path));
  } catch (error) {
    rmSync(encodeBytes(fresh), { force: true });
    throw new UserError(
      `cannot write ${path}: ${(error as Error).message}`,
      'free some space there, or choose another place with -o DIR',
      ExitStatus.unavailable,
    );
  }
}
