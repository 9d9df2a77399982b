import { expect, it } from 'vitest';
import { nanoseconds, tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { pathOutOfReach } from './out-of-reach.ts';

const SYS = 22;
const [READ, WRITE] = [0, 1];
const [FILE, DISK, TERMINAL] = [0o100644, 0o060660, 0o020620];

function opened(path: string, flags: number, mode: number, device = 1, result = 3): CallRecord {
  const at = { entry: 1, exit: 2, enteredAt: nanoseconds(1), leftAt: nanoseconds(2) };
  const number = syscallNumber('openat');
  const file2 = { id: 1, device, inode: 7, mode };
  return { kind: 'call', tid: tid(5), number, ...at, args: [-100, 0, flags], result, path, file2 };
}

it.each([
  ['a disk', opened('/dev/sda', WRITE, DISK)],
  ['what is in /sys, by whichever path', opened('brightness', WRITE, FILE, SYS)],
  ['a setting of the kernel', opened('/proc/sys/vm/swappiness', WRITE, FILE)],
])('is %s', (_what, record) => {
  expect(pathOutOfReach([record], new Set([SYS]))).toBe(record.path);
});

it.each([
  ['read only', opened('/dev/sda', READ, DISK)],
  ['not opened', opened('/proc/sys/vm/swappiness', WRITE, FILE, 1, -13)],
  ['a terminal', opened('/dev/pts/3', WRITE, TERMINAL)],
  ['a plain file', opened('/proc/system', WRITE, FILE)],
])('is not what is %s', (_what, record) => {
  expect(pathOutOfReach([record], new Set([SYS]))).toBeUndefined();
});
