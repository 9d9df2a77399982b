/**
 * The programs of examples/threads, what is true of them, and what a trace of theirs leads to. What the
 * fields of expected.json mean is said in examples/README.md.
 *
 *   predictedRaces(trace, false)  →  [{ variable: 'y', lines: [14, 26], rung: 'sync-preserving' }]
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Witness } from '../../src/threads/csp/race-search.ts';
import { RaceSearcher } from '../../src/threads/csp/search-race.ts';
import { Labels } from '../../src/threads/model/labels.ts';
import { NONE } from '../../src/threads/model/op.ts';
import type { ThreadTrace } from '../../src/threads/model/trace.ts';
import { predict } from '../../src/threads/predict/predict.ts';
import type { Rung } from '../../src/threads/predict/race.ts';

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

export interface PredictedLines {
  /** As the trace calls it. */
  readonly variable: string;
  readonly lines: Lines;
  readonly rung: Rung;
}

const STATES = 200_000;

/** One for each pair of lines on each variable, as found on the first rung. Throws if anything is undecided. */
export function predictedRaces(
  trace: ThreadTrace,
  program: string,
  sound: boolean,
): PredictedLines[] {
  const searcher = new RaceSearcher(trace);
  const { races, undecided } = predict<Witness>(trace, {
    search: ({ first, second }, mostStates) =>
      searcher.searchPair(first.event, second.event, { sound, mostStates }),
    mostStatesEach: STATES,
  });
  if (undecided.length > 0) throw new Error(`${undecided.length} candidates are undecided`);
  const labels = new Labels(trace.tables);
  const lineOf = (site: number): number => {
    const row = site === NONE ? undefined : trace.tables.sites.row(site);
    if (row !== undefined && basename(row.file) === program) return row.line;
    throw new Error(`a race at ${labels.site(site) || 'a place that is not known'}`);
  };
  const found = new Map<string, PredictedLines>();
  for (const { variable, first, second, rung } of races) {
    const lines: Lines = [lineOf(first.site), lineOf(second.site)];
    const label = labels.variable(variable);
    const key = `${label} ${pairOf(lines)}`;
    if (!found.has(key)) found.set(key, { variable: label, lines, rung });
  }
  return [...found.values()];
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
