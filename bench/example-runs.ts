/** The racy halves of examples/procs, each run in a copy of its folder. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ValidatedRun, validatedRun } from './validated-run.ts';

interface Expected {
  readonly racy: { readonly command: readonly string[]; readonly check?: readonly string[] };
}

const FOLDER = join(process.cwd(), 'examples', 'procs');

export const exampleNames = (): readonly string[] => readdirSync(FOLDER).sort();

/** One race at a time, so that they do not disturb each other's times. */
export function runExample(name: string, budget: string): ValidatedRun {
  const original = join(FOLDER, name);
  const expected = readFileSync(join(original, 'expected.json'), 'utf8');
  const { command, check = [] } = (JSON.parse(expected) as Expected).racy;
  const checks = check.flatMap((one) => ['--check', one]);
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  try {
    cpSync(original, folder, { recursive: true });
    return validatedRun(folder, ['--jobs', '1', '--budget', budget, ...checks], command);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
