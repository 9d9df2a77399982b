/**
 * What is isolated to see what that costs: four programs that compute, with threads and locks of their own, and beside
 * them two that spend much of their time with a lock. Each as a command, for a lot of work and for little.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeLines } from './sampled-work.ts';
import { compileProgram } from './traced-programs.ts';

export interface ToleratedWork {
  readonly command: readonly string[];
  /** For whoever counts each instruction. */
  readonly small: readonly string[];
}

const LINES = 1_000_000;
const FEW_LINES = 20_000;
const FILES = 40;
const GREP = [
  ...['/usr/bin/git', 'grep', '--no-index', '--threads=2', '-c', '-E'],
  'request [0-9]*7[0-9]* from client 8[0-9]*',
];
/** What Debian's programs do with a file of lines, or many. sort merges under a lock. */
const COMMANDS: Readonly<Record<string, (lines: string) => readonly string[]>> = {
  'zstd -T2': (lines) => ['/usr/bin/zstd', '-q', '-f', '-T2', '-15', lines, '-o', 'out'],
  'git grep': (lines) => [...GREP, `${lines}-files`],
  'plzip -n2': (lines) => ['/usr/bin/plzip', '-k', '-f', '-n2', '-1', lines, '-o', 'out'],
  'pbzip2 -p2': (lines) => ['/usr/bin/pbzip2', '-q', '-k', '-f', '-p2', lines],
  'sort --parallel=2': (lines) => ['/usr/bin/sort', '--parallel=2', lines, '-o', 'out'],
};
/** Nothing is asked of these. */
export const LOCK_BOUND: ReadonlySet<string> = new Set(['sort --parallel=2', 'histogram']);

export function toleratedWork(folder: string): ReadonlyMap<string, ToleratedWork> {
  for (const [name, count] of Object.entries({ lines: LINES, 'few-lines': FEW_LINES })) {
    writeLines(join(folder, name), count);
    mkdirSync(join(folder, `${name}-files`), { recursive: true });
    for (let file = 0; file < FILES; file++) {
      writeLines(join(folder, `${name}-files`, `${file}`), count / FILES);
    }
  }
  const histogram = compileProgram('histogram', folder);
  return new Map([
    ...Object.entries(COMMANDS).map(
      ([name, command]) =>
        [name, { command: command('lines'), small: command('few-lines') }] as const,
    ),
    ['histogram', { command: [histogram, '8000000'], small: [histogram, '100000'] }],
  ]);
}
