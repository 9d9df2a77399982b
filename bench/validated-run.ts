/** Runs `deadheat procs` on a program in a folder, and reads what the run tells of itself. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Analysis, analyseRecords } from '../src/procs/analyse.ts';
import type { RaceFigures, ValidationFigures } from '../src/procs/validate/figures.ts';
import type { Report } from '../src/report/model.ts';
import { parseReport } from '../src/report/parse.ts';
import { openRunDirectory } from '../src/trace/open-run.ts';
import type { TraceRecord } from '../src/trace/records/record.ts';
import { milliseconds } from './measure.ts';

/** Not by the launcher: what somebody has left open for this process would be inherited by the program. */
const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

export interface ValidatedRun {
  readonly report: Report;
  readonly validation: ValidationFigures;
  readonly analysis: Analysis;
  /** How long the program itself took while it was recorded. */
  readonly recordedMs: number;
  /** How long the whole command took. */
  readonly wholeMs: number;
}

/** Then it is told to come to an end, and reports what it has found until then. */
const LONGEST_MS = 200_000;

const NOT_TRIED: ValidationFigures = { milliseconds: 0, races: {} };

export function validatedRun(
  folder: string,
  options: readonly string[],
  command: readonly string[],
): ValidatedRun {
  const output = join(folder, '.deadheat', 'measured');
  const args = [MAIN, 'procs', '-q', '-o', output, ...options, '--', ...command];
  let stderr = '';
  const wholeMs = milliseconds(() => {
    const ended = spawnSync(process.execPath, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      timeout: LONGEST_MS,
    });
    ({ stderr } = ended);
  });
  const file = join(output, 'report.json');
  const read = parseReport(readFileSync(file, 'utf8'), file);
  if (!read.ok) throw new Error(`'${command.join(' ')}' was not reported of: ${stderr}`);
  const report = read.value;
  const run = openRunDirectory(output);
  const analysis = analyseRecords(run, report.version, { salvage: false, all: false });
  const validation = (report.stats.validation as ValidationFigures | undefined) ?? NOT_TRIED;
  const recordedMs = durationOf(analysis.records);
  return { report, validation, analysis, recordedMs, wholeMs };
}

/** The races that were tried, but for doubtful ones that came to nothing: they count as not found. */
export const triedRaces = ({ races }: ValidationFigures): readonly RaceFigures[] =>
  Object.entries(races)
    .filter(([id, { verdict }]) => !id.startsWith('D') || verdict === 'harmful')
    .map(([, figures]) => figures);

/** From the start of the first process to the end of the last one. */
function durationOf(records: readonly TraceRecord[]): number {
  const times = records.flatMap((record) =>
    record.kind === 'start' || record.kind === 'exit' ? [record.time] : [],
  );
  return (Math.max(...times) - Math.min(...times)) / 1e6;
}
