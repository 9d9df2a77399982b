/**
 * How dependable the verdicts are: the examples, again and again.
 *
 *   proven     racy halves whose race was found to do harm, of so many rounds
 *   reports    the most harmful races that one round told of the one bug
 *   clean      fixed halves in which nothing was reported that expected.json does not know of
 *   replayed   replays of the recorded order, two for each round, that ended as that did
 *
 * `npm run bench -- rounds 3 sqlite` makes three rounds, instead of ten, of the examples with sqlite in
 * their name. A program whose bad order came while it was recorded is recorded again.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../src/report/model.ts';
import { EXAMPLES, type Expected, exampleNames, expectedOf } from './example-runs.ts';
import { chosen } from './measure.ts';

const ROUNDS = 10;
const REPLAYS_PER_ROUND = 2;
const MOST_RECORDINGS = 10;
const LONGEST_MS = 300_000;
const MAIN = join(process.cwd(), 'dist', 'cli', 'main.js');

interface Counts {
  proven: number;
  reports: number;
  clean: number;
  replayed: number;
}

export async function run(words: readonly string[]): Promise<void> {
  const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? ROUNDS);
  const names = chosen(
    exampleNames(),
    words.filter((word) => !/^\d+$/.test(word)),
  );
  const replays = rounds * REPLAYS_PER_ROUND;
  console.log('| example | proven | reports | clean | replayed |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const name of names) {
    const counts: Counts = { proven: 0, reports: 0, clean: 0, replayed: 0 };
    for (let round = 0; round < rounds; round++) oneRound(name, counts);
    const { proven, reports, clean, replayed } = counts;
    const cells = [`${proven}/${rounds}`, reports, `${clean}/${rounds}`, `${replayed}/${replays}`];
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

function oneRound(name: string, counts: Counts): void {
  const expected = expectedOf(name);
  inCopyOf(name, (folder) => {
    const report = wellRecorded(folder, expected);
    const harmful = report.races.filter(({ verdict }) => verdict === 'harmful');
    const { object, or = [] } = expected.racy;
    const isIt = (name: string): boolean => [object, ...or].some((one) => isCalled(name, one));
    if (harmful.some((race) => isIt(race.object.name))) counts.proven++;
    counts.reports = Math.max(counts.reports, harmful.length);
    for (let time = 0; time < REPLAYS_PER_ROUND; time++) {
      if (deadheat(folder, ['replay', '-q']) === 0) counts.replayed++;
    }
  });
  inCopyOf(name, (folder) => {
    const { races } = reportOn(folder, expected.racy, expected.fixed.command);
    const known = expected.fixed.harmless ?? [];
    const isClean = races.every(
      ({ verdict, object }) =>
        verdict !== 'harmful' && known.some((one) => isCalled(object.name, one)),
    );
    if (isClean) counts.clean++;
  });
}

const isCalled = (name: string, expected: string): boolean =>
  name === expected || name.endsWith(`/${expected}`);

function inCopyOf(name: string, work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-bench-'));
  try {
    cpSync(join(EXAMPLES, name), folder, { recursive: true });
    work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function wellRecorded(folder: string, { racy }: Expected): Report {
  for (let time = 1; ; time++) {
    const report = reportOn(folder, racy, racy.command);
    const { exit, warnings = [] } = report;
    const failed = warnings.some((text) => / fails for the recorded run/.test(text));
    const isGood = exit !== undefined && 'code' in exit && exit.code === 0 && !failed;
    if (isGood || time === MOST_RECORDINGS) return report;
  }
}

function reportOn(
  folder: string,
  { check = [] }: Expected['racy'],
  command: readonly string[],
): Report {
  const checks = check.flatMap((one) => ['--check', one]);
  deadheat(folder, ['procs', '-q', '--json', 'report.json', ...checks, '--', ...command]);
  return JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report;
}

function deadheat(folder: string, args: readonly string[]): number | null {
  const options = { cwd: folder, stdio: 'ignore', timeout: LONGEST_MS } as const;
  return spawnSync(process.execPath, [MAIN, ...args], options).status;
}
