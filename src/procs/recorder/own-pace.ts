/**
 * Whether a task of which nobody has heard for a while is just slow. Two are in a call:
 *
 *   sh     in wait4(-1)      sleeps until somebody else does something, perhaps one that is being held
 *   sort   in write(1, …)    has all it needs but a processor, or a disk that answers
 *
 * Only if there is none of the second kind can it be said that nothing moves any more. On a busy machine a
 * task may wait longer for a processor than any patience that one would like to have with the first kind.
 */
import { activityOf } from '../../linux/task-state.ts';
import { isExec } from '../model/call-groups.ts';
import type { TaskState } from './task-table.ts';

/** Exec waits for other tasks in the way in which others wait for a disk. So does vfork, but it is not recorded. */
export function getsOnByItself({ task, call }: TaskState): boolean {
  const activity = activityOf(task);
  if (activity === 'disk') return call !== undefined && !isExec(call);
  return activity === 'running';
}
