/**
 * The sets of signals that the kernel keeps for a task, as /proc/TASK/status shows them: bit n-1 stands for
 * signal n, see proc(5).
 *
 *   SigPnd:  0000000000010000      SIGCHLD, which is 17, is on its way to it
 */
import type { Tid } from './ids.ts';
import { readProcFile } from './proc-file.ts';
import { Signal } from './signals.ts';

/** On their way to the task, to its process; blocked, ignored, caught. */
export type SignalSet = 'SigPnd' | 'ShdPnd' | 'SigBlk' | 'SigIgn' | 'SigCgt';

/** undefined if the task has died. */
export function signalSetsOf(task: Tid): ((set: SignalSet) => bigint) | undefined {
  const status = readProcFile(`/proc/${task}/status`)?.toString('latin1');
  if (status === undefined) return undefined;
  return (set) => {
    const label = `\n${set}:\t`;
    const at = status.indexOf(label);
    const digits = at < 0 ? undefined : /^[0-9a-f]+/.exec(status.slice(at + label.length))?.[0];
    return BigInt(`0x${digits ?? 0}`);
  };
}

export const hasSignal = (set: bigint, signal: number): boolean =>
  ((set >> BigInt(signal - 1)) & 1n) === 1n;

export const signalSet = (signals: readonly number[]): bigint =>
  signals.reduce((set, signal) => set | (1n << BigInt(signal - 1)), 0n);

export function signalsIn(set: bigint): number[] {
  const all = Array.from({ length: 64 }, (_, index) => index + 1);
  return all.filter((signal) => hasSignal(set, signal));
}

/** A child would go on ignoring them. */
export const IGNORED_BY_NODE: readonly number[] = [Signal.SIGPIPE, Signal.SIGXFSZ];
