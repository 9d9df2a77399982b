/**
 * What Helgrind, DRD and ThreadSanitizer say of a program: the lines of the two accesses of each race that they
 * report in one run.
 *
 *   valgrindLines('helgrind', '/tmp/x/listing-1-1', 'racy.c')  →  [[26, 14]]
 *
 * Of an access in a library the innermost line in the program's own file is taken; where the other side is not
 * told, there is one line.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

export type ReportedLines = readonly number[];

const LONGEST_MS = 60_000;

/** What each calls a race; DRD tells of the other side only between which synchronisations it was. */
const VALGRIND = {
  helgrind: { kind: 'Race', sides: 2 },
  drd: { kind: 'ConflictingAccess', sides: 1 },
} as const;

export function valgrindLines(
  tool: keyof typeof VALGRIND,
  binary: string,
  file: string,
): ReportedLines[] {
  const { kind, sides } = VALGRIND[tool];
  const xml = `${binary}.${tool}.xml`;
  runToEnd('valgrind', ['-q', `--tool=${tool}`, '--xml=yes', `--xml-file=${xml}`, binary]);
  const text = readFileSync(xml, 'utf8');
  rmSync(xml);
  return [...text.matchAll(/<error>.*?<\/error>/gs)]
    .map(([error]) => error)
    .filter((error) => error.includes(`<kind>${kind}</kind>`))
    .map((error) => {
      const stacks = [...error.matchAll(/<stack>.*?<\/stack>/gs)].map(([stack]) => stack);
      const ownLine = new RegExp(`<file>${file}</file>\\s*<line>(\\d+)</line>`);
      return firstOf(stacks.slice(0, sides), ownLine);
    });
}

/** @param binary compiled with ThreadSanitizer. */
export function sanitizerLines(binary: string, file: string): ReportedLines[] {
  const [, ...reports] = runToEnd(binary, []).split('WARNING: ThreadSanitizer: data race');
  return reports.map((report) => {
    // A stack for each access, then others: where the threads and the memory came from.
    const stacks = report.split(/\n\n/);
    return firstOf(stacks.slice(0, 2), new RegExp(`/${file}:(\\d+)`));
  });
}

const firstOf = (stacks: readonly string[], ownLine: RegExp): ReportedLines =>
  stacks.flatMap((stack) => ownLine.exec(stack)?.slice(1, 2).map(Number) ?? []);

function runToEnd(command: string, args: readonly string[]): string {
  const { stderr, error } = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  if (error) throw error;
  if (stderr.includes('FATAL: ThreadSanitizer')) throw new Error(stderr);
  return stderr;
}
