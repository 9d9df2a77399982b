/**
 * Which call has sent a signal that arrives: what the sender did after it, the target does not come
 * after.
 *
 *   14: kill(15, USR1)      14: write f      15: USR1 arrives, reads f      still a race
 *
 * Of several that a sender has sent to one target, the last one counts: the earlier ones may have
 * been ignored, or lost because one was pending.
 */
import type { Pid } from '../../../linux/ids.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { Population } from '../../model/modelled-call.ts';

/** For each call that sends signals, which argument is the signal. The first one is the target. */
const SENDING = new Map([
  ['kill', 1],
  ['tkill', 1],
  ['tgkill', 2],
  ['rt_sigqueueinfo', 1],
  ['rt_tgsigqueueinfo', 2],
  ['pidfd_send_signal', 1],
]);

export class SentSignals {
  readonly #sent = new Map<string, EventId>();

  note(call: CallRecord, name: string, sender: Pid, population: Population, event: EventId): void {
    const at = SENDING.get(name);
    if (at === undefined || call.result < 0) return;
    const number = name === 'pidfd_send_signal' ? 0 : (call.args[0] ?? 0) | 0;
    const target = number > 0 ? population.byOwnNumber(number) : undefined;
    this.#sent.set(key(sender, target, call.args[at] ?? 0), event);
  }

  /** undefined if that was before the recording, or in no call. */
  sending(sender: Pid, target: Pid, signal: number): EventId | undefined {
    const toTarget = this.#sent.get(key(sender, target, signal));
    const toMany = this.#sent.get(key(sender, undefined, signal));
    if (toTarget === undefined || toMany === undefined) return toTarget ?? toMany;
    return Math.max(toTarget, toMany) as EventId;
  }
}

/** To a group, or to a process or thread that is not known by its number: to anyone. */
const key = (sender: Pid, target: Pid | undefined, signal: number): string =>
  `${sender} ${target ?? 'anyone'} ${signal}`;
