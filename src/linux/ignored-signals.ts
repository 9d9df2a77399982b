/** Whether a signal would have passed by unnoticed, had nobody traced the task. */
import type { Tid } from './ids.ts';
import { hasSignal, type SignalSet, signalSetsOf } from './signal-sets.ts';
import { Signal } from './signals.ts';

/** Those whose default action is to do nothing, signal(7). */
const HARMLESS: readonly number[] = [
  Signal.SIGCHLD,
  Signal.SIGURG,
  Signal.SIGWINCH,
  Signal.SIGCONT,
];

export function isIgnored(task: Tid, signal: number): boolean {
  const sets = signalSetsOf(task);
  return sets !== undefined && isIgnoredBy(sets, signal);
}

/** The same, with the sets of a task. */
export function isIgnoredBy(sets: (set: SignalSet) => bigint, signal: number): boolean {
  if (hasSignal(sets('SigIgn'), signal)) return true;
  return HARMLESS.includes(signal) && !hasSignal(sets('SigCgt'), signal);
}
