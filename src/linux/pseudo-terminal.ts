/** A pair of ends of a pseudo-terminal, pty(7). */
import { constants, openSync } from 'node:fs';
import { libcFunction } from './libc.ts';
import { allocate, release } from './native-memory.ts';
import { checked } from './system-error.ts';

const ioctl = libcFunction('int ioctl(int fd, ulong request, uintptr_t argument)');

/** Source: <asm-generic/ioctls.h>. */
const TIOCSPTLCK = 0x4004_5431;
const TIOCGPTN = 0x8004_5430;

export interface PseudoTerminal {
  /** Where what is written to the other end can be read. */
  readonly controlling: number;
  readonly terminal: number;
}

export function openPseudoTerminal(): PseudoTerminal {
  const flags = constants.O_RDWR | constants.O_NOCTTY;
  const controlling = openSync('/dev/ptmx', flags);
  const word = allocate(4096);
  word.bytes.writeInt32LE(0, 0);
  checked('ioctl', ['TIOCSPTLCK'], ioctl(controlling, TIOCSPTLCK, word.address));
  checked('ioctl', ['TIOCGPTN'], ioctl(controlling, TIOCGPTN, word.address));
  const number = word.bytes.readInt32LE(0);
  release(word);
  return { controlling, terminal: openSync(`/dev/pts/${number}`, flags) };
}
