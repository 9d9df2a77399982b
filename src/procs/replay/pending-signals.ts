/** Signals that are on their way to a task that stands still. */
import { readFileSync } from 'node:fs';
import { tryTo } from '../../base/result.ts';
import type { Tid } from '../../linux/ids.ts';
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

export function hasPending(task: Tid, signal: number): boolean {
  return ((pending(maskReader(task)) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** Whether any signal would reach it at once if it went back to its own code. */
export function isInterrupted(task: Tid): boolean {
  const mask = maskReader(task);
  return (pending(mask) & ~mask('SigBlk') & ~mask('SigIgn')) !== 0n;
}

type MaskReader = (name: string) => bigint;

const pending = (mask: MaskReader): bigint => mask('SigPnd') | mask('ShdPnd');

/** See proc(5), status: bit n-1 stands for signal n. */
function maskReader(task: Tid): MaskReader {
  // A task that has died meanwhile waits for nothing.
  const read = tryTo(() => readFileSync(`/proc/${task}/status`, 'latin1'));
  const status = read.ok ? read.value : '';
  return (name) => {
    const [, digits = '0'] = new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status) ?? [];
    return BigInt(`0x${digits}`);
  };
}
