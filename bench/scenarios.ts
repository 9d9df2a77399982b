/**
 * The programs of examples/threads: what is true of each, what deadheat makes of one run, and what Helgrind, DRD
 * and ThreadSanitizer report in ten.
 *
 *   races                     real ones, each a pair of lines
 *   predicted, rung           those of them that are predicted, and on which rung of the ladder
 *   confirmed                 those of them of which both threads stood at their accesses at once
 *   false: predicted,         what is no race, and was predicted or confirmed all the same
 *     confirmed
 *   Helgrind, DRD, TSan       in how many of ten runs each reports one of the real races, and in how many
 *                             something else
 *   confirm ms                how long it takes to confirm a race, beside the native run
 *
 * The table of all of them is put into docs/thread-scenarios.md as well. `npm run bench -- scenarios replay` shows each
 * confirmed race 20 times again; a number is that of the others' runs, a part of a scenario's name measures only that one.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  compileScenario,
  pairOf,
  type Scenario,
  scenariosIn,
} from '../test/harness/thread-scenarios.ts';
import { metOrMissed } from './asked.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen, eachOnItsOwn, median } from './measure.ts';
import { type ReportedLines, sanitizerLines, valgrindLines } from './other-detectors.ts';
import {
  confirmMs,
  type FoundRace,
  nativeMs,
  runScenario,
  type ScenarioRun,
  showsAgain,
} from './scenario-run.ts';

const REPLAY = 'replay';
const TABLE = join(process.cwd(), 'docs', 'thread-scenarios.md');
const USUAL_RUNS = 10;
const REPLAYS = 20;
const TIMES_NATIVE = 3;
const FURTHER_MS = 1000;

interface Measured {
  readonly scenario: Scenario;
  readonly run: ScenarioRun;
  readonly nativeMs: number;
  /** Of each race that was confirmed. */
  readonly confirmMs: readonly number[];
  readonly row: TableRow;
}

export async function run(words: readonly string[]): Promise<void> {
  const all = scenariosIn(join(process.cwd(), 'examples', 'threads'));
  const some = words.filter((word) => word !== REPLAY && !/^\d+$/.test(word));
  const runs = Number(words.find((word) => /^\d+$/.test(word)) ?? USUAL_RUNS);
  const names = chosen(
    all.map(({ name }) => name),
    some,
  );
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  try {
    const measured: Measured[] = [];
    await eachOnItsOwn(names, (name) => {
      console.error(name);
      measured.push(measure(all.find((scenario) => scenario.name === name)!, folder, runs));
    });
    const table = markdownTable(measured.map(({ row }) => row));
    const figures = summary(measured, runs);
    console.log(`${table}\n\n${figures}`);
    if (words.includes(REPLAY)) console.log(replayed(measured));
    // A part of the table would take the place of the whole one.
    const isWhole = measured.length === all.length;
    if (isWhole)
      writeFileSync(TABLE, `${introduction(runs)}\n${table}\n\n${figures}\n${explanation(runs)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measure(scenario: Scenario, folder: string, runs: number): Measured {
  const { name, expected } = scenario;
  const binary = join(folder, name);
  const sanitized = `${binary}-sanitized`;
  compileScenario(scenario, binary);
  compileScenario(scenario, sanitized, '-fsanitize=thread');
  const run = runScenario(binary, scenario, `${binary}-run`);
  const native = nativeMs(binary);
  const confirmed = run.races.filter(({ isConfirmed }) => isConfirmed);
  const took = confirmed.map(({ id }) => confirmMs(run, id));
  const real = new Set(expected.races.map(({ lines }) => pairOf(lines)));
  const isReal = ({ lines }: FoundRace): boolean => real.has(pairOf(lines));
  const pairs = (races: readonly FoundRace[]): number =>
    new Set(races.map(({ lines }) => pairOf(lines))).size;
  const found = run.races.filter(isReal);
  const others = run.races.filter((race) => !isReal(race));
  const inRuns = (report: () => readonly ReportedLines[]) => reported(report, runs, real);
  const helgrind = inRuns(() => valgrindLines('helgrind', binary, expected.program));
  const drd = inRuns(() => valgrindLines('drd', binary, expected.program));
  const sanitizer = inRuns(() => sanitizerLines(sanitized, expected.program));
  const row: TableRow = {
    scenario: name,
    races: real.size,
    predicted: pairs(found),
    rung: [...new Set(found.map(({ rung }) => rung))].join(', ') || '–',
    confirmed: pairs(confirmed.filter(isReal)),
    'false: predicted': pairs(others),
    'false: confirmed': pairs(others.filter(({ isConfirmed }) => isConfirmed)),
    Helgrind: helgrind.real,
    'Helgrind false': helgrind.other,
    DRD: drd.real,
    'DRD false': drd.other,
    TSan: sanitizer.real,
    'TSan false': sanitizer.other,
    'native ms': native.toFixed(0),
    'confirm ms': took.length === 0 ? '–' : median(took).toFixed(0),
  };
  return { scenario, run, nativeMs: native, confirmMs: took, row };
}

/** In how many runs a real race is reported, and in how many something else. */
function reported(
  report: () => readonly ReportedLines[],
  runs: number,
  real: ReadonlySet<string>,
): { real: number; other: number } {
  const linesOfReal = new Set([...real].flatMap((pair) => pair.split(' ').map(Number)));
  // Where only one side is told, it counts for the race that has this line.
  const isReal = ([one, other]: ReportedLines): boolean =>
    other === undefined ? linesOfReal.has(one ?? 0) : real.has(pairOf([one!, other]));
  const found = { real: 0, other: 0 };
  for (let time = 0; time < runs; time++) {
    const told = report();
    if (told.some(isReal)) found.real++;
    if (told.some((lines) => !isReal(lines))) found.other++;
  }
  return found;
}

function summary(measured: readonly Measured[], runs: number): string {
  const sum = (column: string): number =>
    measured.reduce((total, { row }) => total + Number(row[column]), 0);
  const races = sum('races');
  const average = (column: string): string => (sum(column) / runs).toFixed(1);
  const lines = [
    `${measured.length} scenarios with ${races} real races, from one run each: ${sum('predicted')} predicted, ` +
      `${sum('confirmed')} confirmed; of what is none, ${sum('false: predicted')} predicted and ` +
      `${sum('false: confirmed')} confirmed. Helgrind finds ${average('Helgrind')} of the real ones in a run on ` +
      `average, DRD ${average('DRD')}, ThreadSanitizer ${average('TSan')}.`,
  ];
  const confirming = measured.filter((one) => one.confirmMs.length > 0);
  if (confirming.length > 0) {
    const ratios = confirming.flatMap((one) =>
      one.confirmMs.map((ms) => ms / (TIMES_NATIVE * one.nativeMs + FURTHER_MS)),
    );
    const ms = median(confirming.flatMap((one) => one.confirmMs));
    const ratio = median(ratios);
    lines.push(
      `Confirming a race took ${ms.toFixed(0)} ms (median), ${ratio.toFixed(2)} of ${TIMES_NATIVE} x the native ` +
        `run + ${FURTHER_MS} ms; asked: at most 1: ${metOrMissed(ratio <= 1)}.`,
    );
  }
  return lines.join('\n');
}

function replayed(measured: readonly Measured[]): string {
  const lines = measured.flatMap(({ scenario, run }) =>
    run.races.flatMap(({ id, isConfirmed }) => {
      if (!isConfirmed) return [];
      let shown = 0;
      for (let time = 0; time < REPLAYS; time++) if (showsAgain(run, id)) shown++;
      const met = metOrMissed(shown === REPLAYS);
      return `${scenario.name} ${id}: shown again ${shown} times of ${REPLAYS}: ${met}`;
    }),
  );
  return lines.join('\n');
}

const introduction = (runs: number): string => `# Scenarios of thread races

Made by \`npm run bench -- scenarios\` on a machine with ${availableParallelism()} processors; not written by hand. Each
program of [examples/threads](../examples/threads) was run once by \`deadheat threads\`, and ${runs} times each under
Helgrind, DRD and, compiled for it, ThreadSanitizer (TSan). Which races are real is in each program's header. Most
programs are made so that the race does not show in the order of a plain run, which is all that these three look at.
`;

const explanation = (runs: number): string => `
- **races**: real ones, a pair of lines each. **predicted**: those of them that are predicted, and on which **rung**
  ([which orders count](prediction.md)). **confirmed**: those of which both threads were brought to stand at their
  accesses at once.
- **false**: what is no race. It may be predicted, for the reason that the program's header tells, but must never be
  confirmed.
- **Helgrind**, **DRD**, **TSan**: in how many of ${runs} runs they report a real race, and (**false**) in how
  many something else. DRD names only one of the two accesses: its line is what counts.
- **native ms**, **confirm ms**: the program alone, and \`deadheat confirm\` of one of its races.
`;
