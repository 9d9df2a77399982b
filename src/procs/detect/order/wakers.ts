/**
 * Calls that let others go on. Those others may be done before the call itself has returned, so what
 * counts is when it began.
 */
import { syscallNumber } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
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

export function isWaker({ number, file, file2, args }: CallRecord): boolean {
  if (writes.has(number)) return isStream(file);
  if (always.has(number)) return true;
  if (number === FUTEX) return FUTEX_WAKES.has((args[1] ?? 0) & FUTEX_COMMAND);
  // From a stream into a stream they also wait, and so count by their end.
  return copies.has(number) && !(isStream(file) && isStream(file2));
}
