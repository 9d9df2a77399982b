/**
 * Calls that let others go on. Those others may be done before the call itself has returned, so what
 * counts is when it began.
 */
import { syscallName, syscallNumber } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import { opensFifo } from './meetings.ts';
import { semaphoreSteps } from './semaphore-steps.ts';
import { isStream } from './transfers.ts';

const WRITES = ['write', 'writev', 'pwritev2', 'sendto', 'sendmsg', 'sendmmsg', 'vmsplice'];
const ALWAYS = [
  'connect',
  'close',
  'close_range',
  'shutdown',
  'dup2',
  'dup3',
  'kill',
  'tkill',
].concat(
  ['tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_send_signal', 'msgsnd', 'mq_timedsend'],
  ['semctl', 'listen'],
);
const COPIES = ['sendfile', 'splice', 'tee'];
/** Source: <linux/futex.h>. */
const FUTEX_COMMAND = 0x7f;
const FUTEX_WAKES = new Set([1, 3, 4, 5, 7, 10]);

const numbers = (names: readonly string[]): Set<number> => new Set(names.map(syscallNumber));
const writes = numbers(WRITES);
const always = numbers(ALWAYS);
const copies = numbers(COPIES);
const FUTEX = syscallNumber('futex');
const SEMAPHORE_STEPS = numbers(['semop', 'semtimedop']);

export function isWaker(call: CallRecord): boolean {
  const { number, file, file2, args } = call;
  if (writes.has(number)) return isStream(file);
  if (always.has(number)) return true;
  if (number === FUTEX) return FUTEX_WAKES.has((args[1] ?? 0) & FUTEX_COMMAND);
  // One that takes as well may have waited itself, and so counts by its end.
  if (SEMAPHORE_STEPS.has(number)) return semaphoreSteps(call).every((step) => step > 0);
  if (opensFifo(call, syscallName(number))) return true;
  // From a stream into a stream they also wait, and so count by their end.
  return copies.has(number) && !(isStream(file) && isStream(file2));
}
