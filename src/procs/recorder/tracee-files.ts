/**
 * What a path or a file descriptor of a tracee means at this moment, asked of /proc while the
 * tracee stands still. It may have another root, or other mounts, than we have.
 */
import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBytes, encodeBytes } from '../../base/bytes.ts';
import type { Tid } from '../../linux/ids.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';

/** Source: <linux/fcntl.h>. */
const AT_FDCWD = -100;

export interface NamedFile {
  /** Absolute, as seen from outside; symbolic links are not followed. */
  name: string;
  /** What is there now, if anything. */
  file: KernelFile | undefined;
}

/** A path that the tracee handed to the kernel, and what it finds there. */
export function fileAtPath(task: Tid, path: string, directoryFd = AT_FDCWD): NamedFile {
  // The kernel looks at 32 bits: -100 may arrive as 0xffffff9c.
  const fd = directoryFd | 0;
  const isAbsolute = path.startsWith('/');
  const base = isAbsolute ? 'root' : fd === AT_FDCWD ? 'cwd' : `fd/${fd}`;
  const link = `/proc/${task}/${base}`;
  const name = join(linkTarget(link) ?? '', path);
  return { name, file: attempt(() => kernelFile(lstatSync(encodeBytes(`${link}/${path}`)))) };
}

/** An open file of the tracee, named `/home/me/log`, `pipe:[4711]`, …; undefined if it is not open. */
export function fileOfFd(task: Tid, fd: number): NamedFile | undefined {
  const link = `/proc/${task}/fd/${fd}`;
  const name = linkTarget(link);
  return name === undefined ? undefined : { name, file: attempt(() => kernelFile(statSync(link))) };
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
