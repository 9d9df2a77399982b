/**
 * The state of signal detection: who has sent what, and what each process has done lately.
 *
 *   P1   kill(P2, USR1)
 *   P2   ── sigaction(USR1) ── write ── (USR1 arrives)
 *
 * Nothing orders P1's kill with what P2 did: the signal could have come before the handler was there,
 * and killed P2. Had P2 told P1 through a pipe that it is ready, the steps before that would not count.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid } from '../../../linux/ids.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { Step } from '../step.ts';

/** Which argument is the signal. */
const SENDING: Readonly<Record<string, number>> = {
  kill: 1,
  tkill: 1,
  tgkill: 2,
  rt_sigqueueinfo: 1,
  rt_tgsigqueueinfo: 2,
  pidfd_send_signal: 1,
};

/** So that a signal to a long-lived process does not walk through its whole life. */
const LONGEST_LOOK_BACK = 2000;
/** How rt_sigprocmask changes the mask, <asm-generic/signal-defs.h>. */
const SIG_BLOCK = 0;
const SIG_UNBLOCK = 1;

export class SignalState {
  readonly #graph: HappensBeforeGraph;
  readonly #sent = new Map<string, Step>();
  readonly #steps = new Map<Pid, Step[]>();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  note(step: Step): void {
    const steps = this.#steps.get(step.process);
    if (steps) steps.push(step);
    else this.#steps.set(step.process, [step]);
    const signal = sentBy(step);
    if (signal !== undefined) this.#sent.set(`${step.process} ${signal}`, step);
  }

  sentBy(process: Pid, signal: number): Step | undefined {
    return this.#sent.get(`${process} ${signal}`);
  }

  /** What the process did before `delivered` that nothing orders with `sent`, while the signal could come. */
  couldHaveMet(sent: Step, delivered: Step, signal: number): Step[] {
    const steps = this.#steps.get(delivered.process) ?? [];
    const met: Step[] = [];
    let isBlocked = false;
    const end = Math.max(0, steps.length - LONGEST_LOOK_BACK);
    for (let index = steps.length - 1; index >= end; index--) {
      const step = steps[index]!;
      if (this.#graph.happensBefore(step.event, sent.event)) break;
      const change = maskChange(step, signal);
      // Looking back: before it was unblocked it was blocked, and before it was blocked it was not.
      if (change) isBlocked = change === 'unblocks';
      if (!isBlocked || change) met.push(step);
    }
    return met;
  }
}

function sentBy({ record }: Step): number | undefined {
  if (record.kind !== 'call' || record.result !== 0) return undefined;
  const at = SENDING[syscallName(record.number)];
  return at === undefined ? undefined : record.args[at];
}

function maskChange({ record }: Step, signal: number): 'blocks' | 'unblocks' | undefined {
  if (record.kind !== 'call' || syscallName(record.number) !== 'rt_sigprocmask') return undefined;
  const isInSet = setHas(record, signal);
  if (isInSet === undefined) return undefined;
  const how = (record.args[0] ?? 0) | 0;
  if (how === SIG_BLOCK) return isInSet ? 'blocks' : undefined;
  if (how === SIG_UNBLOCK) return isInSet ? 'unblocks' : undefined;
  return isInSet ? 'blocks' : 'unblocks';
}

function setHas({ data }: CallRecord, signal: number): boolean | undefined {
  const bytes = data === undefined ? undefined : encodeBytes(data);
  if (!bytes || bytes.length < 8) return undefined;
  return ((bytes.readBigUInt64LE(0) >> BigInt(signal - 1)) & 1n) === 1n;
}
