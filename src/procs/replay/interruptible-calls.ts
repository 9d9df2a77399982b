/**
 * Calls in which one may wait, and so be interrupted by a signal. If that ends one without any effect,
 * no record tells of it:
 *
 *   wait4(-1, …) ·· SIGUSR1 ·· EINTR, nobody collected       bash runs the trap, and may wait again
 */
import { syscallNumber } from '../../linux/syscalls.ts';
import { looksForChildren, waitsForReadiness } from '../model/call-groups.ts';
import type { EnteredCall } from '../recorder/conductor.ts';

const MAY_WAIT: ReadonlySet<number> = new Set(
  [
    ...['wait4', 'waitid', 'pause', 'rt_sigsuspend', 'rt_sigtimedwait', 'futex', 'flock', 'fcntl'],
    ...['open', 'openat', 'openat2', 'read', 'readv', 'write', 'writev', 'splice', 'tee'],
    ...['recvfrom', 'recvmsg', 'recvmmsg', 'sendto', 'sendmsg', 'sendmmsg', 'sendfile'],
    ...['accept', 'accept4', 'connect', 'semop', 'semtimedop', 'msgsnd', 'msgrcv'],
    ...['mq_timedsend', 'mq_timedreceive'],
  ].map(syscallNumber),
);

export const mayBeInterrupted = (call: Pick<EnteredCall, 'number' | 'args'>): boolean =>
  (MAY_WAIT.has(call.number) || waitsForReadiness(call)) && !looksForChildren(call);
