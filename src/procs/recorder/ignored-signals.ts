/** Whether a signal would have passed by unnoticed, had nobody traced the task. */
import type { Tid } from '../../linux/ids.ts';
import { readProcFile } from '../../linux/proc-file.ts';
import { Signal } from '../../linux/signals.ts';

/** Those whose default action is to do nothing, signal(7). */
const HARMLESS: readonly number[] = [
  Signal.SIGCHLD,
  Signal.SIGURG,
  Signal.SIGWINCH,
  Signal.SIGCONT,
];

export function isIgnored(task: Tid, signal: number): boolean {
  const status = readProcFile(`/proc/${task}/status`)?.toString('latin1');
  if (status === undefined) return false;
  const contains = (set: string): boolean => {
    const mask = status.slice(status.indexOf(set) + set.length).match(/^[0-9a-f]+/)?.[0] ?? '0';
    return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
  };
  return contains('\nSigIgn:\t') || (HARMLESS.includes(signal) && !contains('\nSigCgt:\t'));
}
