/**
 * Which signals each task has blocked: a mask goes from parent to child and through exec,
 * rt_sigprocmask changes it, rt_sigsuspend for as long as it waits. The masks of pselect, ppoll and
 * epoll_pwait are not recorded.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Tid } from '../../../linux/ids.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { Step } from '../step.ts';

/** A bit for each signal. */
export type Mask = bigint;

const NONE_BLOCKED: Mask = 0n;
export const isBlocked = (mask: Mask, signal: number): boolean =>
  ((mask >> BigInt(signal - 1)) & 1n) === 1n;

/** How rt_sigprocmask changes the mask, <asm-generic/signal-defs.h>. */
const SIG_BLOCK = 0;
const SIG_UNBLOCK = 1;
const RT_SIGPROCMASK = syscallNumber('rt_sigprocmask');
const RT_SIGSUSPEND = syscallNumber('rt_sigsuspend');

export class Masks {
  readonly #masks = new Map<Tid, Mask>();

  /** What was blocked before recording began is not known, and counts as nothing. */
  of(task: Tid): Mask {
    return this.#masks.get(task) ?? NONE_BLOCKED;
  }

  note({ record, task }: Step): void {
    if (record.kind === 'start') this.#masks.set(record.tid, this.of(task));
    if (record.kind !== 'call' || record.number !== RT_SIGPROCMASK || record.result < 0) return;
    const set = setIn(record);
    if (set !== undefined) this.#masks.set(task, changed(this.of(task), record, set));
  }
}

/** What is blocked while a step waits, if that is something else than before it. */
export function maskDuring({ record }: Step): Mask | undefined {
  const isSuspended = record.kind === 'call' && record.number === RT_SIGSUSPEND;
  return isSuspended ? setIn(record) : undefined;
}

function changed(mask: Mask, { args }: CallRecord, set: Mask): Mask {
  const how = (args[0] ?? 0) | 0;
  if (how === SIG_BLOCK) return mask | set;
  return how === SIG_UNBLOCK ? mask & ~set : set;
}

function setIn({ data }: CallRecord): Mask | undefined {
  const bytes = data === undefined ? undefined : encodeBytes(data);
  return bytes && bytes.length >= 8 ? bytes.readBigUInt64LE(0) : undefined;
}
