/** Whether a process that the user named can be recorded; says in plain words why not. */
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/user-error.ts';
import type { Pid } from '../../linux/ids.ts';
import { isKernelThread, processStat } from '../../linux/running-process.ts';

export function requireRecordable(pid: Pid): void {
  const stat = processStat(pid);
  if (!stat) throw new UserError(`there is no process ${pid}`, 'see ps for those that there are');
  if (stat.state === 'Z' || stat.state === 'X') {
    throw new UserError(`process ${pid} has ended already`, 'name one that runs');
  }
  if (isKernelThread(pid)) {
    throw new UserError(
      `process ${pid} is a thread of the kernel, which makes no system calls`,
      'name a program',
    );
  }
  const leader = /^Tgid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  if (leader !== String(pid)) {
    throw new UserError(`${pid} is a thread of process ${leader}`, `use --pid ${leader}`);
  }
  if (isOurselfOrAncestor(pid)) {
    throw new UserError(
      `process ${pid} has started this deadheat, which would have to record itself`,
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
