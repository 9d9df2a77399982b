/**
 * Which signals each process holds back, as far as it has said so: a mask goes from parent to child
 * and through exec, rt_sigprocmask changes it, rt_sigsuspend changes it for as long as it waits.
 *
 *   P1   sigprocmask(BLOCK, USR1) ── fork            P2 is born with USR1 blocked
 *   P2                                 sigaction(USR1) ── sigsuspend(…)     and meets it here first
 *
 * What the program was started with is taken to be nothing. The masks of pselect, ppoll and
 * epoll_pwait are not recorded, and a process counts as having one mask for all of its threads.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid } from '../../../linux/ids.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { Step } from '../step.ts';

/** A bit for each signal, the lowest for signal 1. */
export type Mask = bigint;

/** How rt_sigprocmask changes the mask, <asm-generic/signal-defs.h>. */
const SIG_BLOCK = 0;
const SIG_UNBLOCK = 1;
const MASK_SIZE = 8;

export class Masks {
  readonly #masks = new Map<Pid, Mask>();

  /** After all that was noted so far. */
  of(process: Pid): Mask {
    return this.#masks.get(process) ?? 0n;
  }

  note({ record, process }: Step): void {
    if (record.kind === 'start') this.#masks.set(record.pid, this.of(process));
    if (record.kind !== 'call' || record.result < 0) return;
    if (syscallName(record.number) !== 'rt_sigprocmask') return;
    const set = setIn(record);
    if (set === undefined) return;
    const how = (record.args[0] ?? 0) | 0;
    const before = this.of(process);
    const after = how === SIG_BLOCK ? before | set : how === SIG_UNBLOCK ? before & ~set : set;
    this.#masks.set(process, after);
  }
}

/** What is held back while a step waits, if that is something else than before it. */
export function maskDuring({ record }: Step): Mask | undefined {
  const isSuspended = record.kind === 'call' && syscallName(record.number) === 'rt_sigsuspend';
  return isSuspended ? setIn(record) : undefined;
}

export const holdsBack = (mask: Mask, signal: number): boolean =>
  ((mask >> BigInt(signal - 1)) & 1n) === 1n;

function setIn({ data }: CallRecord): Mask | undefined {
  const bytes = data === undefined ? undefined : encodeBytes(data);
  return bytes && bytes.length >= MASK_SIZE ? bytes.readBigUInt64LE(0) : undefined;
}
