/**
 * What a task that nobody holds is waiting for: for one that is being held, perhaps, and then neither
 * would ever move. Whoever waits for nothing but a processor or a disk: see recorder/own-pace.ts.
 */
import type { Tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import { sleepsInCall } from '../../linux/task-state.ts';

const FUTEX = syscallNumber('futex');

/** Threads wait for each other in futex(2), which is not recorded within a process. */
export const waitsForThread = (task: Tid): boolean => sleepsInCall(task) === FUTEX;
