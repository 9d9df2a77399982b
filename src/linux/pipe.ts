/** pipe(2) and socketpair(2), which Node does not offer. */
import { closeSync } from 'node:fs';
import { libcFunction } from './libc.ts';
import { allocate, release } from './native-memory.ts';
import { checked } from './system-error.ts';

const pipe2 = libcFunction('int pipe2(uintptr_t ends, int flags)');
const socketpair = libcFunction(
  'int socketpair(int family, int type, int protocol, uintptr_t ends)',
);
const fcntl = libcFunction('int fcntl(int fd, int command, long argument)');

/** Source: <asm-generic/fcntl.h>, <linux/fcntl.h>. */
const O_CLOEXEC = 0o2000000;
const F_SETPIPE_SZ = 1031;
/** Source: <linux/socket.h>, <linux/net.h>. */
const AF_UNIX = 1;
const SOCK_STREAM = 1;

export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** With room for so many bytes; the kernel has a limit for plain users, 1 MiB unless changed. */
export function makePipe(capacity: number): Pipe {
  const [readEnd, writeEnd] = pairFrom((at) => checked('pipe2', [], pipe2(at, O_CLOEXEC)));
  try {
    checked('fcntl', [writeEnd, 'F_SETPIPE_SZ', capacity], fcntl(writeEnd, F_SETPIPE_SZ, capacity));
  } catch (error) {
    closeSync(readEnd);
    closeSync(writeEnd);
    throw error;
  }
  return { readEnd, writeEnd };
}

/** Two connected ends. */
export function makeSocketPair(): readonly [number, number] {
  const type = SOCK_STREAM | O_CLOEXEC;
  return pairFrom((at) => checked('socketpair', [], socketpair(AF_UNIX, type, 0, at)));
}

function pairFrom(make: (at: bigint) => void): readonly [number, number] {
  const ends = allocate(4096);
  try {
    make(ends.address);
    return [ends.bytes.readInt32LE(0), ends.bytes.readInt32LE(4)];
  } finally {
    release(ends);
  }
}
