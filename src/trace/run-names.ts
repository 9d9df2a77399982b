/** Which numbered runs there are, by their names alone: quick enough for the tab key. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../base/bytes.ts';
import { ENGINES } from '../base/engines.ts';
import { UserError } from '../base/user-error.ts';
import { ownFolder } from '../linux/own-process.ts';

export const runsFolderName = '.deadheat';

const numberedName = new RegExp(`^(${ENGINES.join('|')})-[1-9]\\d{0,8}$`);

/** The names of all numbered runs, broken or not, in no special order. */
export function runNames(folder = ownFolder()): string[] {
  const runs = join(folder, runsFolderName);
  try {
    return readdirSync(encodeBytes(runs), 'utf8').filter((name) => numberedName.test(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw new UserError(
      `cannot read ${runs}: ${message}`,
      'change its permissions, or name a run by its path',
    );
  }
}

export function isNumberedName(name: string): boolean {
  return numberedName.test(name);
}
