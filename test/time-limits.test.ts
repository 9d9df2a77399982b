/** Programs that would run on: --duration and --timeout end them, as Ctrl-C at a terminal would. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, MAIN, runToEnd } from './harness/deadheat.ts';
import { sandboxedIn } from './harness/mounted.ts';
import { scratchFolder } from './harness/scratch.ts';

const listener = (name: string): string =>
  `trap "echo ${name} heard it >&2; exit" INT; while :; do sleep 0.05; done`;

describe.each([['bpf'], ['ptrace'], ['bpf', '--in-place'], ['ptrace', '--in-place']])(
  '--duration, with %s %s',
  (...recorder) => {
    it('reaches whom Ctrl-C would reach, and nobody else', () => {
      const cwd = scratchFolder();
      const program = `sh -c '${listener('child')}' | setsid sh -c '${listener('stranger')}' | cat; :`;
      const options = ['-q', '--duration', '6', '--recorder', ...recorder];
      const outsider = `trap 'echo outsider heard it >&2' INT; "$@"`;
      const record = [MAIN, 'record', ...options, '--', 'sh', '-c', program];
      const args = ['-c', outsider, 'sh', process.execPath, ...record];
      expect(runToEnd('sh', args, { cwd })).toMatchObject({
        status: 0,
        stderr: 'child heard it\n',
      });
    });
  },
);

describe('--timeout', () => {
  it('ends a program that does not end, and says so; other orders are compared with that', () => {
    const cwd = scratchFolder();
    const script = 'mkdir d & { sleep 0.5; echo x >d/f; } & wait; sleep 86418 | cat';
    const args = ['procs', '--timeout', '5s', '--json', 'r.json', '--', 'sh', '-c', script];
    const { status, stderr } = deadheat(args, { cwd });
    expect(status).toBe(66);
    expect(stderr).toMatch(
      /^deadheat: warning: the command did not end within 5 s, and was ended; --timeout gives it more$/m,
    );
    const report = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8')) as Report;
    expect(report.races.map(({ verdict }) => verdict)).toEqual(['harmful']);
    expect(report.warnings).toEqual([
      'the command did not end already as it was recorded; other orders are compared with that',
    ]);
    // All of the group heard it: nobody had to be killed.
    expect(report.exit).toEqual({ signal: 'SIGINT' });
    expect(sandboxedIn(cwd)).toEqual([]);
  });

  it('lets one alone that ends in time', () => {
    const cwd = scratchFolder();
    const { status, stderr } = deadheat(['procs', '--timeout', '1h', '--', 'true'], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'deadheat: recorded in procs-1\n' });
  });
});
