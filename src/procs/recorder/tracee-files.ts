/**
 * What a path or a file descriptor of a tracee means at this moment, asked of /proc while the
 * tracee stands still.
 */
import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { decodeBytes, encodeBytes } from '../../base/bytes.ts';
import type { Tid } from '../../linux/ids.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';

/** Source: <linux/fcntl.h>. */
const AT_FDCWD = -100;

/** A path that the tracee handed to the kernel, made absolute; symbolic links are not followed. */
export function absolutePath(task: Tid, path: string, directoryFd = AT_FDCWD): string {
  if (path.startsWith('/')) return normalize(path);
  // The kernel looks at 32 bits: -100 may arrive as 0xffffff9c.
  const fd = directoryFd | 0;
  const base = fd === AT_FDCWD ? linkTarget(`/proc/${task}/cwd`) : pathOfFd(task, fd);
  return base === undefined ? path : normalize(join(base, path));
}

/** `/home/me/log`, `pipe:[4711]`, …; undefined for a descriptor that is not open. */
export function pathOfFd(task: Tid, fd: number): string | undefined {
  return linkTarget(`/proc/${task}/fd/${fd}`);
}

export function fileOfFd(task: Tid, fd: number): KernelFile | undefined {
  return attempt(() => kernelFile(statSync(`/proc/${task}/fd/${fd}`)));
}

export function fileAtPath(path: string): KernelFile | undefined {
  return attempt(() => kernelFile(lstatSync(encodeBytes(path))));
}

export function linkTarget(link: string): string | undefined {
  return attempt(() => decodeBytes(readlinkSync(link, 'buffer')));
}

/** The kernel's own number of an open file is not to be had from here: 0. */
function kernelFile({ dev, ino, mode }: Stats): KernelFile {
  return { id: 0, device: dev, inode: ino, mode };
}

/** A process may vanish, and a file may not exist, at any moment: both are normal. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
