/**
 * Whether tasks of which nobody has heard for a while are just slow. Two are in a call:
 *
 *   sh     in wait4(-1)      sleeps until somebody else does something, perhaps one that is being held
 *   sort   in write(1, …)    has all it needs but a processor, or a disk that answers
 *
 * Only if there is none of the second kind can it be said that nothing moves any more. On a busy machine a
 * task may wait longer for a processor than any patience that one would like to have with the first kind.
 *
 * They are looked at one after the other, and meanwhile go on:
 *
 *   look at head   sleeps                  head sleeps, and so does tr, as it seems; but tr has woken head,
 *                  tr writes, and sleeps   which runs
 *   look at tr     sleeps
 *
 * So all are looked at twice. Between the two rounds there was a moment in which every one that has not run
 * since was asleep.
 */
import type { Tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { activityOf, runsOf, type SleptCall, sleptCall } from '../../linux/task-state.ts';
import { isExec } from '../model/call-groups.ts';
import { isStartingCall } from './call-stops.ts';
import type { TaskState, TaskTable } from './task-table.ts';

const FORK = syscallNumber('fork');
const CLONE = syscallNumber('clone');
/** <linux/sched.h> */
const CLONE_VFORK = 0x4000;

/** Whether nobody moves any more, unless somebody who is held is let go. */
export function isStill(tasks: Pick<TaskTable, 'some'>): boolean {
  const before = new Map<Tid, string>();
  const moves = (state: TaskState): boolean => {
    const { task } = state;
    const runs = runsOf(task);
    const hasRun = (before.get(task) ?? runs) !== runs;
    before.set(task, runs);
    return hasRun || getsOnByItself(state);
  };
  return !tasks.some(moves) && !tasks.some(moves);
}

function getsOnByItself(state: TaskState): boolean {
  const activity = activityOf(state.task);
  if (activity === 'disk') return state.hasExited || isForDisk(sleptCall(state.task));
  return activity === 'running';
}

/**
 * Whether a task in a sleep that no signal ends is not there because of another task: that is how exec waits
 * for the other threads, and vfork for its child. What clone3 makes, only the tracee's memory says.
 */
export function isForDisk(call: SleptCall | undefined): boolean {
  // It wants a page of memory.
  if (!call) return true;
  if (isExec(call)) return false;
  if (!isStartingCall(call.number)) return true;
  return (
    call.number === FORK || (call.number === CLONE && (call.firstArgument & CLONE_VFORK) === 0)
  );
}
