/**
 * What the kernel knows of a tracee's files at this moment, asked of /proc while the tracee stands
 * still. It may have another root, or other mounts, than we have.
 */

import { lstatSync, readdirSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { AT_FDCWD } from '../../linux/fcntl.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import { type FoundFile, fileAt, readProcFile } from '../../linux/proc-file.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import { FileDescriptions } from './file-descriptions.ts';

/** To throw costs more than to look. */
const MAY_BE_MISSING = { throwIfNoEntry: false } as const;
/** `pos:`, a tab and a number of 64 bits: the first line. */
const POSITION_LENGTH = 26;

/** Whose files: descriptors belong to the process, but only a thread of it need be alive. */
export interface Holder {
  task: Tid;
  process: Pid;
}

export class TraceeFiles {
  readonly descriptions = new FileDescriptions();

  /** An open file of the tracee; undefined for a descriptor that is not open. */
  ofFd({ task, process }: Holder, fd: number): KernelFile | undefined {
    const found = fileAt(`/proc/${task}/fd/${fd | 0}`);
    return (
      found && kernelFile(found, this.descriptions.idOf(process, fd | 0, found.device, found.inode))
    );
  }

  /** The same for a descriptor that has just been made. */
  ofNewFd({ task, process }: Holder, fd: number): KernelFile | undefined {
    const found = fileAt(`/proc/${task}/fd/${fd}`);
    return (
      found && kernelFile(found, this.descriptions.idOfNew(process, fd, found.device, found.inode))
    );
  }

  /** The folder that a relative path starts at: that of an fd, or the current one. */
  folderOf(holder: Holder, directoryFd = AT_FDCWD): KernelFile | undefined {
    if ((directoryFd | 0) !== AT_FDCWD) return this.ofFd(holder, directoryFd);
    const found = fileAt(startOf(holder.task, directoryFd));
    return found && kernelFile(found, 0);
  }

  /** Where an open file's position stands. */
  positionOf({ task }: Holder, fd: number): number | undefined {
    const text = readProcFile(`/proc/${task}/fdinfo/${fd | 0}`, POSITION_LENGTH)?.toString(
      'latin1',
    );
    const position = text && /^pos:\s*(\d+)/.exec(text)?.[1];
    return position === undefined ? undefined : Number(position);
  }

  /** Learns what a process was started with, so that those it forks are known to share it. */
  learnAll(holder: Holder): void {
    const fds = attempt(() => readdirSync(`/proc/${holder.task}/fd`)) ?? [];
    for (const fd of fds) this.ofFd(holder, Number(fd));
  }
}

/** Whether there is something at a path; a link counts, wherever it leads. */
export function exists(task: Tid, path: string, directoryFd = AT_FDCWD): boolean {
  const start = path.startsWith('/') ? `/proc/${task}/root` : startOf(task, directoryFd);
  return attempt(() => lstatSync(encodeBytes(`${start}/${path}`), MAY_BE_MISSING)) !== undefined;
}

function startOf(task: Tid, directoryFd: number): string {
  // The kernel looks at 32 bits: -100 may arrive as 0xffffff9c.
  const fd = directoryFd | 0;
  return fd === AT_FDCWD ? `/proc/${task}/cwd` : `/proc/${task}/fd/${fd}`;
}

function kernelFile({ device, inode, mode }: FoundFile, id: number): KernelFile {
  return { id, device, inode, mode };
}

/** A process may vanish, and a file may not exist, at any moment: both are normal. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
