/** One program of examples/threads: natively, and traced, predicted and confirmed from one run. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Race } from '../src/report/model.ts';
import { parseReport } from '../src/report/parse.ts';
import type { Lines, Scenario } from '../test/harness/thread-scenarios.ts';
import { median, milliseconds } from './measure.ts';

const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');
const LONGEST_MS = 120_000;
const NATIVE_ROUNDS = 3;
/** What deadheat exits with if it has shown a race. */
/** What `replay` says if it does. */
const MET = 'stood before these accesses at the same moment';

export interface FoundRace {
  readonly id: string;
  readonly lines: Lines;
  readonly rung: string;
  readonly isConfirmed: boolean;
}

export interface ScenarioRun {
  readonly folder: string;
  readonly races: readonly FoundRace[];
}

/** @param folder where the run goes. */
export function runScenario(binary: string, { expected }: Scenario, folder: string): ScenarioRun {
  const { stderr } = deadheat(['threads', '-q', '-o', folder, '--', binary]);
  const file = join(folder, 'report.json');
  const report = parseReport(readFileSync(file, 'utf8'), file);
  if (!report.ok) throw new Error(`'${binary}' was not reported of: ${stderr}`);
  const races = report.value.races.map((race) => ({
    id: race.id,
    lines: linesOf(race, expected.program),
    rung: race.rung ?? '',
    isConfirmed: race.verdict === 'confirmed',
  }));
  return { folder, races };
}

/** 0 for what is elsewhere. */
function linesOf({ accesses }: Race, program: string): Lines {
  const [one = 0, other = 0] = accesses.map(({ site: { file = '', line = 0 } }) =>
    basename(file) === program ? line : 0,
  );
  return [one, other];
}

export const nativeMs = (binary: string): number =>
  median(
    Array.from({ length: NATIVE_ROUNDS }, () =>
      milliseconds(() => spawnSync(binary, { stdio: 'ignore' })),
    ),
  );

/** How long it takes to confirm a race once more. */
export const confirmMs = ({ folder }: ScenarioRun, id: string): number =>
  milliseconds(() => deadheat(['confirm', '-q', folder, id]));

export function showsAgain({ folder }: ScenarioRun, id: string): boolean {
  return deadheat(['replay', '-q', folder, id]).stdout.includes(MET);
}

function deadheat(args: readonly string[]): SpawnSyncReturns<string> {
  const ended = spawnSync(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: LONGEST_MS,
  });
  if (ended.error) throw ended.error;
  return ended;
}
