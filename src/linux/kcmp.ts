/**
 * kcmp(2): whether two descriptors, of whichever processes, are one open file, with one position
 * and one set of flags, as after dup or fork. Two opens of the same path are not. The same for memory.
 */
import type { Pid } from './ids.ts';
import { rawSyscall } from './raw-syscall.ts';

/** Source: <linux/kcmp.h>. */
const KCMP_FILE = 0;
const KCMP_VM = 1;

/** False also if either is not open, or not there any more. */
export function isSameOpenFile(one: Pid, fd: number, other: Pid, otherFd: number): boolean {
  try {
    return rawSyscall('kcmp', [one, other, KCMP_FILE, fd, otherFd]) === 0;
  } catch {
    return false;
  }
}

/** Not every kernel has it, and a container may forbid it. */
export function canCompareFiles(): boolean {
  try {
    return rawSyscall('kcmp', [process.pid, process.pid, KCMP_VM, 0, 0]) === 0;
  } catch {
    return false;
  }
}

/** Whether two processes have the same memory, as after vfork, and not a copy of it. undefined if nobody can say. */
export function sharesMemory(one: Pid, other: Pid): boolean | undefined {
  try {
    return rawSyscall('kcmp', [one, other, KCMP_VM, 0, 0]) === 0;
  } catch {
    return undefined;
  }
}
