/** What containers forbid, one by one: docs/ci.md says what still works, and deadheat which flag is missing. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { syscallNumber } from '../src/linux/syscalls.ts';
import { type Ended, MAIN, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { untilCaught } from './harness/until-caught.ts';

let forbidding = '';
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  forbidding = join(folder, 'forbidding');
  execFileSync('cc', [join(PROJECT, 'test/containers/forbidding.c'), '-o', forbidding]);
  return () => rmSync(folder, { recursive: true });
});

/** Not allowed by Docker's usual filter. */
const BY_DOCKER = [
  ...['unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'bpf', 'perf_event_open'],
  'personality',
];

function contained(calls: readonly string[], cwd: string, args: readonly string[]): Ended {
  const numbers = calls.map((name) => `${syscallNumber(name)}`);
  return runToEnd(forbidding, [...numbers, '--', process.execPath, MAIN, ...args], { cwd });
}

function compile(example: string, cwd: string): void {
  const source = join(PROJECT, 'examples', example);
  execFileSync('cc', ['-g', '-O1', '-pthread', source, '-o', join(cwd, 'program')]);
}

describe('in a container without any flag', () => {
  it('procs says what its sandbox misses, and finds races without it', () => {
    const cwd = scratchFolder();
    const racy = ['sh', '-c', '(sleep 0.1; echo a > out) & (sleep 0.2; cat out > copy) & wait'];
    const refused = contained(BY_DOCKER, cwd, ['procs', '--', ...racy]);
    expect(refused.stderr).toContain('--security-opt seccomp=unconfined');
    expect(refused.status).toBe(69);
    const found = contained(BY_DOCKER, cwd, [
      'procs',
      '--in-place',
      '--no-validate',
      '--',
      ...racy,
    ]);
    expect(found.stdout).toMatch(/^R1 /m);
    expect(found.status).toBe(66);
  });

  it('threads confirms races, although memory is elsewhere in every run', () => {
    const cwd = scratchFolder();
    compile('threads/listing-1-1/racy.c', cwd);
    const { stdout, status } = contained(BY_DOCKER, cwd, ['threads', '-q', '--', './program']);
    expect(stdout).toMatch(/^R1 \[confirmed\] /m);
    expect(status).toBe(66);
  });

  it('watch, sample and tolerate work on what they start', () => {
    const cwd = scratchFolder();
    compile('watch/rw-race/racy.c', cwd);
    const watched = untilCaught(cwd, (seconds) =>
      contained(BY_DOCKER, cwd, [
        ...['watch', '-q', '--json', 'report.json', '--', './program', seconds],
      ]),
    );
    expect(watched.status, watched.stderr).toBe(66);
    expect(watched.report.races[0]).toMatchObject({ verdict: 'confirmed' });
    expect(contained(BY_DOCKER, cwd, ['sample', '-q', '--', './program', '1']).status).toBe(0);
    compile('tolerate/scalar/racy.c', cwd);
    const tolerated = contained(BY_DOCKER, cwd, ['tolerate', '-q', '--', './program', '20000']);
    expect(tolerated.stdout).toMatch(/^torn 0 of 20000$/m);
  });
});
