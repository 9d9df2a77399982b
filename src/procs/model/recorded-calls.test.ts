import { describe, expect, it } from 'vitest';
import { SYSCALL_NAMES, syscallNumber } from '../../linux/syscalls.ts';
import { HARMLESS, TOLD_OTHERWISE, UNMODELLED } from './recorded/unrecorded.ts';
import {
  dataSize,
  hasOpened,
  isModelled,
  keptArguments,
  RECORDED_CALLS,
  RECORDED_NUMBERS,
  recordedCall,
  usesPosition,
} from './recorded-calls.ts';

const shapeOf = (name: string) => recordedCall(syscallNumber(name))!;

describe('every system call', () => {
  it('is in exactly one class', () => {
    const classes = [Object.keys(RECORDED_CALLS), HARMLESS, TOLD_OTHERWISE, UNMODELLED];
    const placed = classes.flat().sort();
    expect(placed).toEqual([...new Set(placed)]);
    expect(placed).toEqual([...SYSCALL_NAMES].sort());
  });

  it('is recorded unless it is harmless, also if it is not known', () => {
    expect(recordedCall(syscallNumber('brk'))).toBeUndefined();
    expect(recordedCall(syscallNumber('clone'))).toBeUndefined();
    expect(RECORDED_NUMBERS).not.toContain(syscallNumber('getpid'));
    for (const number of [syscallNumber('keyctl'), 500]) {
      expect(RECORDED_NUMBERS).toContain(number);
      expect(isModelled(number)).toBe(false);
      expect(keptArguments(recordedCall(number)!, [1, 2, 3, 4, 5, 6])).toEqual([0, 0, 0, 0, 0, 0]);
    }
    expect(isModelled(syscallNumber('read'))).toBe(true);
  });
});

describe('a shape', () => {
  it('has the same properties as all others, in the same order', () => {
    const properties = (number: number) => Object.keys(recordedCall(number)!);
    const [first = 0, ...others] = RECORDED_NUMBERS;
    for (const number of others) expect(properties(number)).toEqual(properties(first));
  });

  it('says which arguments are kept', () => {
    const args = [3, 4, 5, 6, 7, 8];
    expect(keptArguments(shapeOf('openat'), args)).toEqual([3, 0, 5, 6, 0, 0]);
    expect(keptArguments(shapeOf('fcntl'), [3, 1030, 10, 0, 0, 0])).toEqual([3, 1030, 10, 0, 0, 0]);
    expect(keptArguments(shapeOf('fcntl'), [3, 6, 10, 0, 0, 0])).toEqual([3, 6, 0, 0, 0, 0]);
  });

  it('has the paths first, then what is only text', () => {
    expect(shapeOf('symlinkat').paths).toEqual([
      { at: 2, directory: 1 },
      { at: 0, isText: true },
    ]);
  });

  it('says how much data there is, up to a limit', () => {
    const size = (name: string, args: number[], result = 0) =>
      dataSize(shapeOf(name), { args, result });
    expect(size('poll', [0, 2])).toBe(16);
    expect(size('poll', [0, 1e9])).toBe(128);
    expect(size('poll', [0, -1])).toBe(0);
    expect(size('select', [9])).toBe(2);
    expect(size('epoll_wait', [0, 0, 5], 2)).toBe(24);
    expect(size('epoll_wait', [0, 0, 5], -4)).toBe(0);
    expect(size('pipe', [0], -24)).toBe(0);
    expect(size('fcntl', [3, 6, 1])).toBe(32);
    expect(size('fcntl', [3, 2, 1])).toBe(0);
  });

  it('says when a descriptor is opened, and when a position is used', () => {
    expect(hasOpened(shapeOf('fcntl'), { args: [3, 0, 9], result: 9 })).toBe(true);
    expect(hasOpened(shapeOf('fcntl'), { args: [3, 3, 9], result: 9 })).toBe(false);
    expect(usesPosition(shapeOf('read'), { args: [], result: 1 })).toBe(true);
    expect(usesPosition(shapeOf('splice'), { args: [3, 1], result: 1 })).toBe(false);
    expect(usesPosition(shapeOf('preadv2'), { args: [3, 0, 1, -1], result: 1 })).toBe(true);
  });
});
