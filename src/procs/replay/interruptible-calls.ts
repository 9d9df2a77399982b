/**
 * Calls in which one may wait, and so be interrupted by a signal. If that ends one without any effect,
 * no record tells of it:
 *
 *   wait4(-1, …) ·· SIGUSR1 ·· EINTR, nobody collected       bash runs the trap, and may wait again
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { EnteredCall } from '../recorder/conductor.ts';

const MAY_WAIT = new RegExp(
  `^(${[
    ...['wait4', 'waitid', 'readv?', 'writev?', 'recv(from|msg|mmsg)', 'send(to|msg|mmsg|file64)'],
    ...['accept4?', 'connect', 'openat?', 'openat2', 'flock', 'fcntl', 'splice', 'tee', 'futex'],
    ...['semop', 'semtimedop', 'msgsnd', 'msgrcv', 'mq_timed(send|receive)', 'poll', 'ppoll'],
    ...['select', 'pselect6', 'epoll_wait', 'epoll_pwait2?', 'pause', 'rt_sig(suspend|timedwait)'],
  ].join('|')})$`,
);

/** Source: <linux/wait.h>. */
const WNOHANG = 1;
const OPTIONS_AT: Readonly<Record<string, number>> = { wait4: 2, waitid: 3 };

export function mayBeInterrupted({ number, args }: EnteredCall): boolean {
  const name = syscallName(number);
  const options = OPTIONS_AT[name];
  const isImmediate = options !== undefined && ((args[options] ?? 0) & WNOHANG) !== 0;
  return MAY_WAIT.test(name) && !isImmediate;
}
