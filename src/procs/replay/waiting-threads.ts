/**
 * Threads wait for each other in futex(2), which is not recorded within a process. One that is waiting
 * there may wait for another one that is being held, and then neither would ever move.
 */
import { readFileSync } from 'node:fs';
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';

const FUTEX = syscallNumber('futex');

/** See proc(5): the number of the call in which it is blocked, or `running`. */
export function waitsForThread(task: Tid): boolean {
  const call = tryTo(() => readFileSync(`/proc/${task}/syscall`, 'latin1'));
  return call.ok && call.value.startsWith(`${FUTEX} `);
}
