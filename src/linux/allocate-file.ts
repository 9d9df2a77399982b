import { libcFunction } from './libc.ts';
import { SystemError } from './system-error.ts';

const posixFallocate = libcFunction('int posix_fallocate(int fd, long offset, long length)');

/** Gives the file that size, of zeros, and the room for it on the disk: whoever maps it cannot run out of it. */
export function allocateFile(fd: number, length: number): void {
  const errno = posixFallocate(fd, 0, length);
  if (errno !== 0) throw new SystemError('posix_fallocate', [fd, length], errno);
}
