import { describe, expect, it } from 'vitest';
import { OpenFlag } from '../model/open-flags.ts';
import { Script, words } from '../testdata/records.ts';
import { describeStep, shownPath } from './describe-step.ts';
import { buildTimeline } from './timeline.ts';

/** The last step. */
const told = ({ records }: Script): string =>
  describeStep(buildTimeline(records, '/home').steps.at(-1)!, '/home');
const call = (...args: Parameters<Script['call']>): string => told(new Script().call(...args));

describe('a step', () => {
  const { O_WRONLY, O_CREAT } = OpenFlag;
  const how = words(8, O_WRONLY | O_CREAT, 0, 0);
  it.each([
    [
      call(1, 'openat', 'f', { args: [-100, 0, O_WRONLY | O_CREAT], result: 3 }),
      'openat("f", O_WRONLY|O_CREAT)',
    ],
    [call(1, 'open', '/etc/x', { args: [0, 0], result: -2 }), 'open("/etc/x", O_RDONLY) = ENOENT'],
    [
      call(1, 'openat2', 'f', { args: [-100], data: how, result: 3 }),
      'openat2("f", O_WRONLY|O_CREAT)',
    ],
    [call(1, 'openat2', 'f', { args: [-100], data: 'x', result: 3 }), 'openat2("f", O_RDONLY)'],
    [call(1, 'rename', 'a', { path2: 'b' }), 'rename("a", "b")'],
    [call(1, 'mkdir', 'd', { result: -17 }), 'mkdir("d") = EEXIST'],
    [call(1, 'kill', undefined, { args: [14, 10] }), 'kill(14, SIGUSR1)'],
    [call(1, 'tgkill', undefined, { args: [14, 15, 10] }), 'tgkill(15, SIGUSR1)'],
    [call(1, 'rt_sigaction', undefined, { args: [15] }), 'rt_sigaction(SIGTERM)'],
    [call(1, 'getppid', undefined, { result: 7 }), 'getppid() = 7'],
    [call(1, 'wait4', undefined, { args: [0xffffffff], result: -10 }), 'wait4(-1) = ECHILD'],
    [told(new Script().fork(1, 2)), 'fork() = 2'],
    [told(new Script().vfork(1, 2)), 'vfork() = 2'],
    [told(new Script().fork(1, 2).signal(1, 2)), 'SIGUSR1 arrives'],
    [told(new Script().exit(1, 3)), 'exit(3)'],
  ])('%s', (shown, expected) => expect(shown).toBe(expected));

  it('may be a death', () => {
    const script = new Script().exit(1);
    script.records.push({ ...script.records.pop()!, status: 9 } as never);
    expect(told(script)).toBe('dies of SIGKILL');
  });
});

it('paths are shown from the folder of the command, if they are inside', () => {
  expect(shownPath('/home/a/b', '/home')).toBe('a/b');
  expect(shownPath('/home', '/home')).toBe('.');
  expect(shownPath('/homes/x', '/home')).toBe('/homes/x');
  expect(shownPath('/home/..x', '/home')).toBe('..x');
  expect(shownPath('pipe:[1:7]', '/home')).toBe('pipe:[1:7]');
  expect(shownPath("the system's name", '/')).toBe("the system's name");
});
