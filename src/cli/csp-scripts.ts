/** Where `predict --csp` puts its scripts. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/user-error.ts';
import { exportChecks } from '../threads/export-checks.ts';
import type { ThreadTrace } from '../threads/model/trace.ts';
import type { Predicted } from '../threads/predict/predict-races.ts';
import { counted } from './counted.ts';
import type { Terminal } from './terminal.ts';
import { cannotWrite } from './write-output.ts';

/** Asked before anything long is done. Scripts of different runs must not lie side by side. */
export function makeScriptFolder(folder: string): void {
  let isEmpty: boolean;
  try {
    mkdirSync(folder, { recursive: true });
    isEmpty = readdirSync(folder).length === 0;
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  if (!isEmpty) throw new UserError(`${folder} is not empty`, 'name a new or empty folder');
}

export function writeScripts(
  folder: string,
  trace: ThreadTrace,
  predicted: Predicted,
  sound: boolean,
  terminal: Terminal,
): void {
  const { scripts, leftOut } = exportChecks(trace, predicted, { sound }, (name, text) => {
    const file = join(folder, name);
    try {
      writeFileSync(file, text);
    } catch (error) {
      throw cannotWrite(file, error);
    }
  });
  const rest = leftOut === 0 ? '' : `; ${leftOut} more checks are too many, or too long`;
  terminal.remark(`${counted(scripts, 'CSPm script')} in ${folder}${rest}`);
}
