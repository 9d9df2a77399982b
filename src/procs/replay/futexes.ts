/**
 * Whether somebody has to ask the kernel for a futex depends on who is faster: a lock that is free is
 * taken in memory, and a thread that has ended already need not be waited for.
 *
 *   recorded   pthread_join: futex(FUTEX_WAIT)      now   (the thread is gone)   newfstatat(…)
 *
 * So a futex that there was may be missing, and one that there was not may come. What is done under
 * the lock has its own place in the order.
 */
import { syscallNumber } from '../../linux/syscalls.ts';
import type { EnteredCall } from '../recorder/conductor.ts';
import type { ScriptedRecord } from './script.ts';

const FUTEX = syscallNumber('futex');
/** Source: <linux/futex.h>: without the flags. */
const COMMAND = 0x7f;

const commandOf = ({ args }: Pick<EnteredCall, 'args'>): number => (args[1] ?? 0) & COMMAND;

export const usesFutex = ({ number }: Pick<EnteredCall, 'number'>): boolean => number === FUTEX;

/** To wait, or to wake others. */
export const doesTheSame = (record: ScriptedRecord, call: EnteredCall): boolean =>
  record.kind === 'call' && usesFutex(record) && commandOf(record) === commandOf(call);
