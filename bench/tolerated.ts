/** Programs under `deadheat tolerate`, and those of its examples. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { MAIN } from './sampled-work.ts';

/** Put before a command; the run directory is in `folder`, and may be removed. */
export const tolerating = (folder: string): string[] => [
  ...[process.execPath, MAIN, 'tolerate', '-q', '-o', join(folder, 'run'), '--'],
];

/** A source file of ours, by its path from the top. */
export function compileOwn(path: string, folder: string, flags: readonly string[] = []): string {
  const output = join(folder, path.replaceAll(/[/.]/g, '-'));
  const compiler = path.endsWith('.cc') ? 'c++' : 'cc';
  const source = join(process.cwd(), path);
  execFileSync(compiler, ['-O2', '-g', '-pthread', ...flags, source, '-o', output]);
  return output;
}

const LONGEST_MS = 6 * 3_600_000;

/** What a command prints; it has to end well. */
export function printed([program = '', ...args]: readonly string[], folder: string): string {
  const done = spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: LONGEST_MS });
  if (done.status === 0) return done.stdout;
  throw new Error(`'${program}' ended with ${done.status ?? done.signal}: ${done.stderr}`);
}
