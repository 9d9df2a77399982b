/**
 * Which call has sent a signal that arrives: what the sender did after it, the target does not come
 * after.
 *
 *   14: kill(15, USR1)      14: write f      15: USR1 arrives, reads f      still a race
 *
 * Of several that a sender has sent to one target, the last one counts: the earlier ones may have
 * been ignored, or lost because one was pending.
 *
 * SIGKILL never arrives: there is only the end that it brings. That comes after the first one that was
 * sent to the process, since nothing can put it off; without one of those, after the last to many.
 *
 *   14: kill(15, KILL)      15: ends with status 9                          no race
 */
import type { Pid } from '../../../linux/ids.ts';
import { Signal } from '../../../linux/signals.ts';
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
  readonly #kills = new Map<Pid, EventId>();
  #killsOfMany: EventId | undefined;

  /** Whoever had its number before is forgotten. */
  started(process: Pid): void {
    this.#kills.delete(process);
  }

  note(call: CallRecord, name: string, sender: Pid, population: Population, event: EventId): void {
    const at = SENDING.get(name);
    if (at === undefined || call.result < 0) return;
    const number = name === 'pidfd_send_signal' ? 0 : (call.args[0] ?? 0) | 0;
    const target = number > 0 ? population.byOwnNumber(number) : undefined;
    const signal = call.args[at] ?? 0;
    this.#sent.set(key(sender, target, signal), event);
    if (signal !== Signal.SIGKILL || target === sender) return;
    if (target === undefined) this.#killsOfMany = event;
    else if (!this.#kills.has(target)) this.#kills.set(target, event);
  }

  /** What has killed a process that died of SIGKILL, as far as that is known. */
  killing(target: Pid): EventId[] {
    const event = this.#kills.get(target) ?? this.#killsOfMany;
    return event === undefined ? [] : [event];
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
