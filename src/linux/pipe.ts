/** pipe(2), which Node does not offer. */
import { closeSync } from 'node:fs';
import { libcFunction } from './libc.ts';
import { allocate, release } from './native-memory.ts';
import { checked } from './system-error.ts';

const pipe2 = libcFunction('int pipe2(uintptr_t ends, int flags)');
const fcntl = libcFunction('int fcntl(int fd, int command, long argument)');

/** Source: <asm-generic/fcntl.h>, <linux/fcntl.h>. */
const O_CLOEXEC = 0o2000000;
const F_SETPIPE_SZ = 1031;

export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** With room for so many bytes; the kernel has a limit for plain users, 1 MiB unless changed. */
export function makePipe(capacity: number): Pipe {
  const ends = allocate(4096);
  checked('pipe2', [], pipe2(ends.address, O_CLOEXEC));
  const readEnd = ends.bytes.readInt32LE(0);
  const writeEnd = ends.bytes.readInt32LE(4);
  release(ends);
  try {
    checked('fcntl', [writeEnd, 'F_SETPIPE_SZ', capacity], fcntl(writeEnd, F_SETPIPE_SZ, capacity));
  } catch (error) {
    closeSync(readEnd);
    closeSync(writeEnd);
    throw error;
  }
  return { readEnd, writeEnd };
}
