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
    readonly or?: readonly string[];
    readonly check?: readonly string[];
  };
  readonly fixed: { readonly command: readonly string[]; readonly harmless?: readonly string[] };
}

export const EXAMPLES = join(process.cwd(), 'examples', 'procs');

export const exampleNames = (): readonly string[] => readdirSync(EXAMPLES).sort();

export const expectedOf = (name: string): Expected =>
  JSON.parse(readFileSync(join(EXAMPLES, name, 'expected.json'), 'utf8')) as Expected;

/** Without `jobs`, as many races at a time as anybody gets who does not ask for a number. */
export function runExample(name: string, budget: string, jobs?: number): ValidatedRun {
  const { command, check = [] } = expectedOf(name).racy;
  const checks = check.flatMap((one) => ['--check', one]);
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  try {
    cpSync(join(EXAMPLES, name), folder, { recursive: true });
    const atOnce = jobs === undefined ? [] : ['--jobs', `${jobs}`];
    return validatedRun(folder, [...atOnce, '--budget', budget, ...checks], command);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
