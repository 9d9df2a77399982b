/** A program, sampled at the default setting to its end and analysed. */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../src/report/model.ts';
import { MAIN } from './sampled-work.ts';

/** To be put before a command. */
export const samplingInto = (run: string): readonly string[] => [
  ...[process.execPath, MAIN, 'sample', '-q', '-o', run, '--'],
];

export function sampledReport(folder: string, command: readonly string[]): Report {
  const run = join(folder, 'run');
  const [program = '', ...args] = [...samplingInto(run), ...command];
  const { status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`'${command.join(' ')}' ended with ${status}`);
  const report = analysed(folder, run);
  rmSync(run, { recursive: true, force: true });
  return report;
}

const RACES_FOUND = 66;

export function analysed(folder: string, run: string): Report {
  const json = join(folder, 'report.json');
  const args = [MAIN, 'analyze', '-q', run, '--json', json];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0 && status !== RACES_FOUND) throw new Error(`analyze ended with ${status}`);
  return JSON.parse(readFileSync(json, 'utf8')) as Report;
}
