import type { KernelFile } from '../../trace/records/kernel-file.ts';

export type FileType = 'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'device' | 'anonymous';

/** The types that a mode can have, <linux/stat.h>. */
const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const TYPES = new Map<number, FileType>([
  [0o010000, 'pipe'],
  [0o020000, 'device'],
  [S_IFDIR, 'directory'],
  [0o060000, 'device'],
  [S_IFREG, 'file'],
  [0o120000, 'link'],
  [0o140000, 'socket'],
]);

/** eventfds, epolls and the like have no type. */
export function typeOf({ mode }: KernelFile): FileType {
  return TYPES.get(mode & S_IFMT) ?? 'anonymous';
}

/** Whether reads and writes move a position that a program can set. */
export const hasPosition = ({ mode }: Pick<KernelFile, 'mode'>): boolean =>
  (mode & S_IFMT) === S_IFREG || (mode & S_IFMT) === S_IFDIR;
