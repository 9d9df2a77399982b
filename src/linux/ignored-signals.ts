/** Whether a signal would have passed by unnoticed, had nobody traced the task. */
import type { Tid } from './ids.ts';
import { hasSignal, signalSetsOf } from './signal-sets.ts';
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
  if (!sets) return false;
  if (hasSignal(sets('SigIgn'), signal)) return true;
  return HARMLESS.includes(signal) && !hasSignal(sets('SigCgt'), signal);
}
