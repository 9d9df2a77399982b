/** Whether a signal would have passed by unnoticed, had nobody traced the task. */
import { readFileSync } from 'node:fs';
import type { Tid } from '../../linux/ids.ts';
import { Signal } from '../../linux/signals.ts';

/** Those whose default action is to do nothing, signal(7). */
const HARMLESS: readonly number[] = [
  Signal.SIGCHLD,
  Signal.SIGURG,
  Signal.SIGWINCH,
  Signal.SIGCONT,
];

export function isIgnored(task: Tid, signal: number): boolean {
  let status: string;
  try {
    status = readFileSync(`/proc/${task}/status`, 'latin1');
  } catch {
    return false;
  }
  const contains = (set: string): boolean => {
    const mask = new RegExp(`^${set}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0';
    return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
  };
  return contains('SigIgn') || (HARMLESS.includes(signal) && !contains('SigCgt'));
}
