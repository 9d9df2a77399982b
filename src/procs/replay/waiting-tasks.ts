/**
 * What a task that nobody holds is waiting for: for one that is being held, perhaps, and then neither
 * would ever move. Whoever waits for nothing but a processor or a disk: see recorder/own-pace.ts.
 */
import { readFileSync } from 'node:fs';
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';

const FUTEX = syscallNumber('futex');

/**
 * Threads wait for each other in futex(2), which is not recorded within a process. See proc(5): the
 * number of the call in which it is blocked, or `running`.
 */
export function waitsForThread(task: Tid): boolean {
  const call = tryTo(() => readFileSync(`/proc/${task}/syscall`, 'latin1'));
  return call.ok && call.value.startsWith(`${FUTEX} `);
}
