/** The programs of examples/watch, what is true of them, and how to catch it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Race, Report } from '../../src/report/model.ts';
import { deadheat, type Ended, PROJECT } from './deadheat.ts';

export interface WatchExample {
  readonly name: string;
  readonly folder: string;
  readonly expected: {
    readonly about: string;
    readonly racy: string;
    readonly fixed: string;
    readonly output: string;
    readonly races: readonly { variable: string; lines: readonly [number, number] }[];
  };
}

export function watchExamples(): readonly WatchExample[] {
  const home = join(PROJECT, 'examples/watch');
  return readdirSync(home)
    .sort()
    .map((name) => {
      const folder = join(home, name);
      const text = readFileSync(join(folder, 'expected.json'), 'utf8');
      return { name, folder, expected: JSON.parse(text) as WatchExample['expected'] };
    });
}

/** With debug information, and optimised, as programs are. */
export function compileWatched(source: string, output: string): void {
  const options = ['-g', '-O1', '-Wall', '-Wextra', '-Werror', '-pthread'];
  execFileSync(source.endsWith('.cc') ? 'c++' : 'cc', [...options, source, '-o', output]);
}

/** `26 36`, whichever of them was held. */
export const linesOf = ({ accesses }: Race): string =>
  accesses
    .flatMap(({ site }) => site.line ?? [])
    .sort((a, b) => a - b)
    .join(' ');

export interface Watched extends Ended {
  readonly report: Report;
}

/** Runs `watch` with these arguments; `RUN/report.json` is what it has left. */
export function watch(cwd: string, ...args: string[]): Watched {
  const ended = deadheat(['watch', '--json', 'report.json', ...args], { cwd });
  return { ...ended, report: readReport(cwd) };
}

export const readReport = (cwd: string): Report =>
  JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report;

/** A busy machine sees less in a second: the program is given longer, until it was enough. */
const SECONDS = [2, 4, 8, 16, 32];

/** Watches a program, whose argument is a number of seconds, until its report is good. */
export function watchUntil(
  cwd: string,
  program: string,
  isGood: (report: Report) => boolean,
  ...options: string[]
): Watched {
  for (const seconds of SECONDS) {
    const watched = watch(cwd, '--rate', '100', ...options, '--', program, `${seconds}`);
    if (isGood(watched.report) || seconds === SECONDS.at(-1)) return watched;
  }
  throw new Error('not reached');
}
