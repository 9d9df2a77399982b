/** The folder for CSPm scripts. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';

/** Asked before anything long is done. Scripts of different runs must not lie side by side. */
export function makeScriptFolder(folder: string): void {
  const isEmpty = attempt(folder, () => {
    fs.mkdirSync(encodeBytes(folder), { recursive: true });
    return fs.readdirSync(encodeBytes(folder)).length === 0;
  });
  if (!isEmpty) throw new UserError(`${folder} is not empty`, 'name a new or empty folder');
}

export function scriptWriter(folder: string): (name: string, text: string) => void {
  return (name, text) => {
    const file = join(folder, name);
    attempt(file, () => fs.writeFileSync(encodeBytes(file), encodeBytes(text)));
  };
}

function attempt<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    throw new UserError(
      `cannot write '${path}' (${code})`,
      isFull ? 'free some space, or name another folder' : 'name a folder you may write to',
      isFull ? ExitStatus.unavailable : ExitStatus.usage,
    );
  }
}
