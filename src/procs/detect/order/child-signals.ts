/**
 * SIGCHLD says that a child has ended, but to whom? A process that goes about its business is
 * interrupted at some moment, and what it does next would have been the same without:
 *
 *   sh: fork 14, (14 ends, SIGCHLD arrives), fork 15       14 and 15 are in no order
 *   sh: fork 14, sigsuspend: SIGCHLD arrives, read f       comes after what 14 did
 *
 * So it orders only those who were waiting for a signal when it came. Those who fetch their children
 * because of it come after them by their wait. A process that sleeps and looks at what its handler
 * noted, and never waits for its children, seems not to be in order with them.
 */
import { errnoNumber } from '../../../linux/errno.ts';
import type { Pid } from '../../../linux/ids.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import { waitsForReadiness } from '../../model/call-groups.ts';

const WAIT_FOR_SIGNALS = /^(pause|rt_sigsuspend)$/;
const EINTR = errnoNumber('EINTR') ?? 0;

export class ChildSignals {
  /** What came since the process last waited. */
  readonly #arrived = new Map<Pid, { sequence: number; ends: readonly EventId[] }[]>();

  arrive(process: Pid, sequence: number, ends: readonly EventId[]): void {
    const arrived = this.#arrived.get(process) ?? [];
    arrived.push({ sequence, ends });
    this.#arrived.set(process, arrived);
  }

  /** The ends that a process was told of while it waited. */
  causesOf(call: CallRecord, name: string, process: Pid): EventId[] {
    const arrived = this.#arrived.get(process);
    if (!arrived || !waits(call, name)) return [];
    this.#arrived.delete(process);
    return arrived.flatMap(({ sequence, ends }) => (sequence > call.entry ? ends : []));
  }
}

const waits = (call: CallRecord, name: string): boolean =>
  WAIT_FOR_SIGNALS.test(name) || (call.result === -EINTR && waitsForReadiness(call));
