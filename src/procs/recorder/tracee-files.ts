/**
 * What the kernel knows of a tracee's files at this moment, asked of /proc while the tracee stands
 * still. It may have another root, or other mounts, than we have.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import type { Tid } from '../../linux/ids.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';

/** Source: <linux/fcntl.h>. */
const AT_FDCWD = -100;

/** An open file of the tracee; undefined for a descriptor that is not open. */
export function fileOfFd(task: Tid, fd: number): KernelFile | undefined {
  return attempt(() => kernelFile(statSync(`/proc/${task}/fd/${fd | 0}`)));
}

/** The folder that a relative path starts at: that of an fd, or the current one. */
export function folderOf(task: Tid, directoryFd = AT_FDCWD): KernelFile | undefined {
  return attempt(() => kernelFile(statSync(startOf(task, directoryFd))));
}

/** Whether there is something at a path; a link counts, wherever it leads. */
export function exists(task: Tid, path: string, directoryFd = AT_FDCWD): boolean {
  const start = path.startsWith('/') ? `/proc/${task}/root` : startOf(task, directoryFd);
  return attempt(() => lstatSync(encodeBytes(`${start}/${path}`))) !== undefined;
}

function startOf(task: Tid, directoryFd: number): string {
  // The kernel looks at 32 bits: -100 may arrive as 0xffffff9c.
  const fd = directoryFd | 0;
  return fd === AT_FDCWD ? `/proc/${task}/cwd` : `/proc/${task}/fd/${fd}`;
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
