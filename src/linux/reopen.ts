/**
 * Files that somebody has open, looked at through /proc, and opened once more: as a new open file, so
 * that reading from one does not move the other on.
 */
import { closeSync, constants, openSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { decodeBytes, encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { libcFunction } from './libc.ts';
import { checked } from './system-error.ts';

const lseek = libcFunction('long lseek(int fd, long offset, int whence)');

/** Source: <unistd.h>. */
const SEEK_SET = 0;

export interface OpenFile {
  readonly path: string;
  /** Where the next read begins. */
  readonly offset: number;
}

/** One of our own descriptors; undefined if it is no file, or one that has no name any more. */
export function openFileOf(fd: number): OpenFile | undefined {
  const link = tryTo(() => readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' }));
  const [behind, named] = [`/proc/self/fd/${fd}`, link.ok ? link.value : ''].map((path) =>
    tryTo(() => statSync(path)),
  );
  if (!link.ok || !behind?.ok || !named?.ok || !behind.value.isFile()) return undefined;
  // A name that has been given to another file since.
  if (behind.value.ino !== named.value.ino || behind.value.dev !== named.value.dev)
    return undefined;
  return { path: decodeBytes(link.value), offset: Number(field(fd, 'pos', 10)) };
}

export const openFlagsOf = (fd: number): number => field(fd, 'flags', 8);

export const isForReadingOnly = (fd: number): boolean =>
  (openFlagsOf(fd) & (constants.O_WRONLY | constants.O_RDWR)) === 0;

/** See proc(5), fdinfo. */
function field(fd: number, name: string, base: number): number {
  const text = readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
  const [, value = '0'] = new RegExp(`^${name}:\\s*(\\d+)$`, 'm').exec(text) ?? [];
  return Number.parseInt(value, base);
}

/** For reading; for the caller to close. */
export function openAt({ path, offset }: OpenFile): number {
  const fd = openSync(encodeBytes(path), 'r');
  try {
    checked('lseek', [path, offset], Number(lseek(fd, offset, SEEK_SET)));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
