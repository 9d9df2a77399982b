/** Waits for what another process could read. */
import { closeSync } from 'node:fs';
import { tryTo } from '../base/result.ts';
import { libcFunction } from './libc.ts';
import { allocate } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';

const poll = libcFunction('int poll(uintptr_t fds, unsigned long count, int timeout)');

/** Source: <asm-generic/poll.h>; `struct pollfd`. */
const POLLIN = 1;
const PAGE = 4096;
const waited = allocate(PAGE);

/** Blocks, but no longer than that; at once if there is no such descriptor. We must be allowed to trace it. */
export function waitUntilReadable(process: number, fd: number, milliseconds: number): void {
  const ours = tryTo(() => copyOf(process, fd));
  if (!ours.ok) return;
  waited.bytes.writeInt32LE(ours.value, 0);
  waited.bytes.writeUInt32LE(POLLIN, 4);
  poll(waited.address, 1, milliseconds);
  closeSync(ours.value);
}

/** A descriptor of ours for what is open there. */
export function copyOf(process: number, fd: number): number {
  const handle = rawSyscall('pidfd_open', [process, 0]);
  try {
    return rawSyscall('pidfd_getfd', [handle, fd, 0]);
  } finally {
    closeSync(handle);
  }
}
