/**
 * The programs of examples/threads, what is true of them, and what a trace of theirs leads to. What the
 * fields of expected.json mean is said in examples/README.md.
 *
 *   predictedPairs(trace, 'racy.c', false)  →  '14 26' → 'y'
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Labels } from '../../src/threads/model/labels.ts';
import { NONE } from '../../src/threads/model/op.ts';
import type { ThreadTrace } from '../../src/threads/model/trace.ts';
import { predictRaces } from '../../src/threads/predict/predict-races.ts';

/** Two lines, which may be the same one, in the order in which they come in a run that goes well. */
export type Lines = readonly [number, number];

export interface Scenario {
  readonly name: string;
  readonly source: string;
  readonly expected: {
    readonly about: string;
    readonly program: string;
    readonly output: string;
    readonly races: readonly { variable: string; lines: Lines; verdict: 'confirmed' }[];
    readonly infeasible?: readonly {
      variable: string;
      lines: Lines;
      why: string;
      evenSound?: true;
    }[];
    readonly order?: readonly number[];
  };
}

/** @param folder examples/threads */
export function scenariosIn(folder: string): readonly Scenario[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name, 'expected.json'), 'utf8');
      const expected = JSON.parse(text) as Scenario['expected'];
      return { name, expected, source: join(folder, name, expected.program) };
    });
}

/** With debug information, so that lines are known; and optimised, as programs are. */
export function compileScenario({ source }: Scenario, output: string, ...flags: string[]): void {
  const compiler = source.endsWith('.cc') ? 'c++' : 'cc';
  const options = ['-g', '-O1', '-Wall', '-Wextra', '-pthread', ...flags];
  execFileSync(compiler, [...options, '-o', output, source]);
}

/**
 * By the pair of lines, what the trace calls the variable. Time is no limit. Throws if anything is undecided, or
 * races elsewhere.
 */
export function predictedPairs(
  trace: ThreadTrace,
  program: string,
  sound: boolean,
): ReadonlyMap<string, string> {
  const { looked, undecided } = predictRaces(trace, { sound, budgetMs: 1, now: () => 0 });
  if (undecided.length > 0) throw new Error(`${undecided.length} pairs are undecided`);
  const labels = new Labels(trace.tables);
  const lineOf = (site: number): number => {
    const row = site === NONE ? undefined : trace.tables.sites.row(site);
    if (row !== undefined && basename(row.file) === program) return row.line;
    throw new Error(`a race at ${labels.site(site) || 'a place that is not known'}`);
  };
  return new Map(
    looked.race.map(({ variable, first, second }) => [
      pairOf([lineOf(first.site), lineOf(second.site)]),
      labels.variable(variable),
    ]),
  );
}

/** The same for both orders. */
export const pairOf = ([one, other]: Lines): string =>
  `${Math.min(one, other)} ${Math.max(one, other)}`;

/**
 * Whether there is an event at each of these lines, and the first comes before that at the next line. Accesses
 * are put where their thread's last operation was, so lines of operations tell more.
 */
export function isRecordedInOrder(trace: ThreadTrace, lines: readonly number[]): boolean {
  const first = new Map<number, number>();
  for (let event = 0; event < trace.length; event++) {
    const site = trace.siteAt(event);
    if (site === NONE) continue;
    const { line } = trace.tables.sites.row(site);
    if (!first.has(line)) first.set(line, event);
  }
  const places = lines.map((line) => first.get(line) ?? Number.NaN);
  return places.every((place, i) => (i === 0 ? place >= 0 : places[i - 1]! < place));
}
