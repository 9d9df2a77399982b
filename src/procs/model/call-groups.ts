/**
 * Calls that several parts of the engine treat alike, whatever they are recorded with:
 *
 *   execve, execveat           run another program
 *   poll, select, epoll_wait   wait until something is ready, of which they may be told by name or number
 *   wait4(…, WNOHANG)          looks in passing whether a child has ended, and does not wait
 */
import { syscallNumber } from '../../linux/syscalls.ts';
import { WaitOption } from '../../linux/wait.ts';
import type { CallRecord } from '../../trace/records/call.ts';

type Numbered = Pick<CallRecord, 'number'>;

const numbersOf = (...names: readonly string[]): ReadonlySet<number> =>
  new Set(names.map(syscallNumber));

const EXECS = numbersOf('execve', 'execveat');
const READINESS = numbersOf(
  ...['poll', 'ppoll', 'select', 'pselect6', 'epoll_wait', 'epoll_pwait', 'epoll_pwait2'],
);
/** Which argument has the options. */
const WAITS: ReadonlyMap<number, number> = new Map([
  [syscallNumber('wait4'), 2],
  [syscallNumber('waitid'), 3],
]);

/** Whether it runs another program, if it succeeds. */
export const isExec = ({ number }: Numbered): boolean => EXECS.has(number);

/** Whether it waits until one of several things is ready, or a time has passed. */
export const waitsForReadiness = ({ number }: Numbered): boolean => READINESS.has(number);

/** Whether it asks for children that have ended, without waiting for one. */
export function looksForChildren({ number, args }: Pick<CallRecord, 'number' | 'args'>): boolean {
  const options = WAITS.get(number);
  return options !== undefined && ((args[options] ?? 0) & WaitOption.noHang) !== 0;
}
