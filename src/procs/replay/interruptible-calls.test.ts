import { expect, it } from 'vitest';
import { syscallNumber } from '../../linux/syscalls.ts';
import { mayBeInterrupted } from './interruptible-calls.ts';

const WNOHANG = 1;
const may = (name: string, ...args: number[]): boolean =>
  mayBeInterrupted({ number: syscallNumber(name), args });

it.each(['open', 'openat', 'sendfile', 'poll', 'epoll_pwait2', 'futex', 'rt_sigsuspend'])(
  'a signal may come in the middle of %s',
  (name) => expect(may(name)).toBe(true),
);

it.each(['mkdir', 'stat', 'close', 'dup2'])('%s never waits', (name) => {
  expect(may(name)).toBe(false);
});

it('a wait is interrupted only if it waits', () => {
  expect([may('wait4', -1, 0, 0), may('waitid', 0, 0, 0, 4)]).toEqual([true, true]);
  expect([may('wait4', -1, 0, WNOHANG), may('waitid', 0, 0, 0, 4 | WNOHANG)]).toEqual([
    false,
    false,
  ]);
});
