/** Signals that are on their way to a task that stands still. */
import type { Tid } from '../../linux/ids.ts';
import { hasSignal, type SignalSet, signalSetsOf } from '../../linux/signal-sets.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { EnteredCall } from '../recorder/conductor.ts';

const WAIT_FOR_SIGNALS: ReadonlySet<number> = new Set(
  [
    'rt_sigsuspend',
    'pause',
    'ppoll',
    'pselect6',
    'epoll_pwait',
    'epoll_pwait2',
    'rt_sigtimedwait',
  ].map(syscallNumber),
);

/** Whether signals that are blocked otherwise may come during this call. */
export const waitsForSignals = ({ number }: EnteredCall): boolean => WAIT_FOR_SIGNALS.has(number);

/** A task that has died meanwhile waits for nothing. */
const NO_SIGNALS = (_: SignalSet): bigint => 0n;

export function hasPending(task: Tid, signal: number): boolean {
  const sets = signalSetsOf(task) ?? NO_SIGNALS;
  return hasSignal(sets('SigPnd') | sets('ShdPnd'), signal);
}

/** Whether any signal would reach it at once if it went back to its own code. */
export function isInterrupted(task: Tid): boolean {
  const sets = signalSetsOf(task) ?? NO_SIGNALS;
  return ((sets('SigPnd') | sets('ShdPnd')) & ~sets('SigBlk') & ~sets('SigIgn')) !== 0n;
}
