/** Programs that are made to run in any order: none of their races may be said to do harm. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, LAUNCHER, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

/** The verdicts on what it does. */
function verdictsOn(
  files: Record<string, string>,
  command: readonly string[],
  options: string[] = [],
): string[] {
  const cwd = scratchFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const args = ['procs', '-q', '--all', '--json', 'report.json', ...options, '--', ...command];
  const { stderr } = deadheat(args, { cwd });
  expect(stderr).toBe('');
  const { races } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report;
  return races.map(({ verdict }) => verdict);
}

const sh = (script: string): string[] => ['sh', '-c', script];

it('three jobs that write to one log', () => {
  const Makefile = 'all: a b c\na b c: ; @sleep 0.2; echo $@ >>log\n.PHONY: all a b c\n';
  const verdicts = verdictsOn({ Makefile }, ['make', '-j3']);
  expect(verdicts).toContain('benign');
  expect(verdicts).not.toContain('harmful');
});

it('a build that fails, with more or less of the rest done', () => {
  const jobs = ['a: ; sleep 0.1; false', 'b: ; sleep 0.3; echo >b', 'c: ; sleep 0.5; echo >c'];
  const Makefile = ['all: a b c', ...jobs].join('\n');
  const cwd = scratchFolder();
  writeFileSync(join(cwd, 'Makefile'), Makefile);
  deadheat(['procs', '-q', '--all', '--json', 'report.json', '--', 'make', '-j2'], { cwd });
  const { races } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report;
  expect(races.map(({ kind, verdict }) => `${kind} ${verdict}`)).toEqual(['wait-wakeups benign']);
});

it('a database that locks itself', () => {
  const job = (number: number): string => {
    const insert = `sqlite3 -cmd '.timeout 9000' db 'insert into t values (${number})'`;
    return `(${insert}; ${insert}) &`;
  };
  const jobs = [1, 2, 3].map(job).join(' ');
  const verdicts = verdictsOn({}, sh(`sqlite3 db 'create table t (x)'; ${jobs} wait`));
  expect(verdicts).not.toContain('harmful');
});

it('jobs that wait for a lock', () => {
  const work = 'v=$(cat n); echo $((v+1)) >n; echo $i >last';
  const job = `(mkdir -p out; flock 9; ${work}) 9>lock &`;
  const verdicts = verdictsOn({ n: '0\n' }, sh(`for i in 1 2 3 4; do ${job} done; wait`));
  expect(verdicts).not.toContain('harmful');
});

it('jobs of which the last one wins', () => {
  const jobs = 'for i in 1 2 3 4; do (sleep 0.1; echo $i >last) & done; wait';
  expect(verdictsOn({}, sh(jobs))).not.toContain('harmful');
});

it('a server that was recorded for a while', () => {
  const script = 'echo a >>log & echo b >>log & wait; exec sleep 1000';
  const verdicts = verdictsOn({}, sh(script), ['--duration', '1', '--timeout', '2s']);
  expect(verdicts).not.toContain('harmful');
});

it('a program for which there is too little space to run again', () => {
  const cwd = scratchFolder();
  const script = `
    mkdir small && mount -t tmpfs -o size=4m none small && cd small || exit 1
    "$@"; echo "status $?"
    find .deadheat/*/attempts -mindepth 1
    cd .. && umount small`;
  const racy =
    '(head -c 1M /dev/zero >a; echo 1 >x) & (sleep 0.2; head -c 1M /dev/zero >b; cat x) &';
  const command = [LAUNCHER, 'procs', '-q', '--', 'sh', '-c', `${racy} wait`];
  const args = ['--mount', 'sh', '-c', script, 'sh', ...command];
  const { stdout } = runToEnd('unshare', args, { cwd });
  expect(stdout).toMatch(/too little space/);
  expect(stdout).not.toMatch(/ENOSPC|attempts\//);
  expect(stdout).toMatch(/status 0\n$/);
});
