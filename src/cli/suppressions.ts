/** Reads the user's --suppressions; asked before anything long is done, so that a slip costs nothing. */
import { readFileSync } from 'node:fs';
import { UserError } from '../base/user-error.ts';
import { parseSuppressions, type Suppression } from '../report/suppressions.ts';

export function readSuppressions(file: string | undefined): readonly Suppression[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`cannot read the suppressions in '${file}' (${code})`, 'check its name');
  }
  const rules = parseSuppressions(text, file);
  if (!rules.ok) throw rules.error;
  return rules.value;
}
