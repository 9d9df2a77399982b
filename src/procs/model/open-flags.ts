import { encodeBytes } from '../../base/bytes.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';

/** Flags of open(2) on x86-64, <asm-generic/fcntl.h>; only those that matter here or are worth showing. */
export const OpenFlag = {
  O_WRONLY: 0o1,
  O_RDWR: 0o2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_DIRECTORY: 0o200000,
  O_TMPFILE: 0o20000000,
} as const;

/** sizeof(flags) in struct open_how. */
const FLAGS_SIZE = 8;
const CREAT = syscallNumber('creat');
const OPEN = syscallNumber('open');
const OPENAT = syscallNumber('openat');
const OPENAT2 = syscallNumber('openat2');
const MQ_OPEN = syscallNumber('mq_open');

/** creat(2) is open(2) with fixed flags; those of openat2 are the first word of struct open_how. */
export function openFlags(call: Pick<CallRecord, 'number' | 'args' | 'data'>): number {
  switch (call.number) {
    case CREAT:
      return OpenFlag.O_WRONLY | OpenFlag.O_CREAT | OpenFlag.O_TRUNC;
    case OPEN:
      return call.args[1] ?? 0;
    case OPENAT:
      return call.args[2] ?? 0;
    case OPENAT2:
      return flagsIn(encodeBytes(call.data ?? ''));
    case MQ_OPEN:
      return call.args[1] ?? 0;
  }
  return 0;
}

/** All flags fit into the lower half. */
const flagsIn = (how: Buffer): number => (how.length < FLAGS_SIZE ? 0 : how.readUInt32LE(0));

/** `O_WRONLY|O_CREAT|O_TRUNC`; reading only is `O_RDONLY`. */
export function showOpenFlags(flags: number): string {
  const names = Object.entries(OpenFlag).filter(([, bit]) => (flags & bit) !== 0);
  const access = (flags & 3) === 0 ? ['O_RDONLY'] : [];
  return [...access, ...names.map(([name]) => name)].join('|');
}
