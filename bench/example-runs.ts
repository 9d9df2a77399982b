/** The racy halves of examples/procs, each run in a copy of its folder. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ValidatedRun, validatedRun } from './validated-run.ts';

/** What of expected.json is needed here; examples/README.md has the whole. */
export interface Expected {
  readonly racy: {
    readonly command: readonly string[];
    readonly object: string;
    readonly check?: readonly string[];
  };
  readonly fixed: { readonly command: readonly string[]; readonly harmless?: readonly string[] };
}

export const EXAMPLES = join(process.cwd(), 'examples', 'procs');

export const exampleNames = (): readonly string[] => readdirSync(EXAMPLES).sort();

export const expectedOf = (name: string): Expected =>
  JSON.parse(readFileSync(join(EXAMPLES, name, 'expected.json'), 'utf8')) as Expected;

/** One race at a time, so that they do not disturb each other's times. */
export function runExample(name: string, budget: string): ValidatedRun {
  const { command, check = [] } = expectedOf(name).racy;
  const checks = check.flatMap((one) => ['--check', one]);
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  try {
    cpSync(join(EXAMPLES, name), folder, { recursive: true });
    return validatedRun(folder, ['--jobs', '1', '--budget', budget, ...checks], command);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
