import { expect, it } from 'vitest';
import { syscallNumber } from '../../linux/syscalls.ts';
import { callStops } from './call-stops.ts';

const numbers = (...names: string[]): ReadonlySet<number> => new Set(names.map(syscallNumber));
const stopped = (...around: Parameters<typeof callStops>): number[] =>
  callStops(...around).map(({ number }) => number);

it('a tree that nobody conducts stops at what is recorded', () => {
  expect(stopped(undefined, undefined)).toContain(syscallNumber('openat'));
  expect(stopped(undefined, undefined)).not.toContain(syscallNumber('fork'));
});

it('a conductor is spared what it does not need, but hears of all who are born', () => {
  const stops = stopped({ unneeded: numbers('openat', 'read') }, undefined);
  for (const name of ['fork', 'vfork', 'clone', 'clone3', 'mkdir']) {
    expect(stops).toContain(syscallNumber(name));
  }
  for (const name of ['openat', 'read']) expect(stops).not.toContain(syscallNumber(name));
});

it('what is refused, or answered, stops whether it is needed or not', () => {
  const unneeded = numbers('io_uring_setup', 'getrandom');
  expect(stopped({ unneeded }, undefined)).toContain(syscallNumber('io_uring_setup'));
  expect(stopped({ unneeded }, undefined)).not.toContain(syscallNumber('getrandom'));
  expect(stopped({ unneeded }, { numbers: numbers('getrandom') })).toContain(
    syscallNumber('getrandom'),
  );
});
