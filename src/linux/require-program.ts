/** Whether a process that the user named is a program that runs, and not deadheat itself; says in plain words why not. */
import { UserError } from '../base/user-error.ts';
import type { Pid } from './ids.ts';
import { isKernelThread, processStat, statusField } from './running-process.ts';

/** What is to be done with it. */
export interface Purpose {
  /** `record`: as in "which would have to record itself". */
  readonly verb: string;
  /** Why it cannot be done to a thread of the kernel: `which makes no system calls`. */
  readonly notTheKernel: string;
}

export function requireProgram(pid: Pid, { verb, notTheKernel }: Purpose): void {
  const stat = processStat(pid);
  if (!stat) throw new UserError(`there is no process ${pid}`, 'see ps for those that there are');
  if (stat.state === 'Z' || stat.state === 'X') {
    throw new UserError(`process ${pid} has ended already`, 'name one that runs');
  }
  if (isKernelThread(pid)) {
    throw new UserError(
      `process ${pid} is a thread of the kernel, ${notTheKernel}`,
      'name a program',
    );
  }
  const leader = statusField(pid, 'Tgid');
  if (leader !== undefined && leader !== pid) {
    throw new UserError(`${pid} is a thread of process ${leader}`, `use --pid ${leader}`);
  }
  if (isOurselfOrAncestor(pid)) {
    throw new UserError(
      `process ${pid} has started this deadheat, which would have to ${verb} itself`,
      'name a process that deadheat does not descend from',
    );
  }
}

function isOurselfOrAncestor(pid: Pid): boolean {
  for (let ancestor = process.pid; ancestor > 0; ancestor = processStat(ancestor)?.parent ?? 0) {
    if (ancestor === pid) return true;
  }
  return false;
}
