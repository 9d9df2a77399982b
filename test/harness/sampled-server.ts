/** test/sampled-programs/server.c, built into a folder. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from './deadheat.ts';

const SOURCE = join(PROJECT, 'test/sampled-programs/server.c');

/** Where its threads race. */
export const RACING_LINE =
  readFileSync(SOURCE, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes('hits++')) + 1;

/** The path of the program. */
export function sampledServer(folder: string, ...options: string[]): string {
  const binary = join(folder, 'server');
  execFileSync('cc', ['-g', '-O1', '-pthread', ...options, '-o', binary, SOURCE]);
  return binary;
}
