/**
 * A signal that came while its target was in a call could also have come after it (RacePro, section
 * 6.1), if the call would have ended without it: by what ended it when it was made again, or went on.
 *
 *   P1                 kill(P2, USR1)
 *   P2   sigsuspend ·· USR1 ·· EINTR     sigsuspend ·· SIGCHLD of P3
 *   P3                       exit
 *
 * P3 could have ended before the kill, and then the first sigsuspend would have been over. Were it P1
 * whose end was waited for, the kill would always have come first: the call is in order with it.
 *
 * A call that a handler ended, and that leaves no record for it had no effect, is not seen here.
 */
import { firstIndex } from '../../../base/bisect.ts';
import { errnoNumber } from '../../../linux/errno.ts';
import type { Pid } from '../../../linux/ids.ts';
import type { EventId } from '../../../order/ids.ts';
import type { Step } from '../step.ts';
import type { Timeline } from '../timeline.ts';

const EINTR = errnoNumber('EINTR') ?? 0;

/** So many steps later, it is hardly the same that the target waits for. */
const LONGEST_LOOK_AHEAD = 50;

export interface Interrupted {
  call: Step;
  /** What would have ended it. */
  by: readonly EventId[];
}

export class InterruptedCalls {
  readonly #timeline: Timeline;
  /** Of processes that get signals from others. */
  readonly #steps = new Map<Pid, Step[]>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    const { steps, sentBy } = timeline;
    for (const arrival of sentBy.keys()) this.#steps.set(steps[arrival]!.process, []);
    for (const step of steps) this.#steps.get(step.process)?.push(step);
  }

  /** undefined if it was in no call, or in one that nothing else could have ended. */
  by(arrival: Step, sent: Step): Interrupted | undefined {
    const steps = this.#steps.get(arrival.process) ?? [];
    const next = firstIndex(steps, ({ event }) => event > arrival.event);
    const [call, ...later] = steps
      .slice(next, next + LONGEST_LOOK_AHEAD)
      .filter(({ task }) => task === arrival.task);
    // With several signals, nobody can tell which of them it was.
    if (call?.record.kind !== 'call' || arrival.record.kind !== 'signal') return undefined;
    const { entry, number, result } = call.record;
    if (entry > arrival.record.sequence) return undefined;
    const again = result === -EINTR ? later : [];
    for (const { record, event } of [call, ...again]) {
      if (record.kind !== 'call' || record.number !== number) continue;
      const by = this.#timeline.graph.edgesInto(event);
      if (by.length > 0 && by.every((one) => this.#isFreeOf(one, sent))) return { call, by };
    }
    return undefined;
  }

  #isFreeOf(event: EventId, sent: Step): boolean {
    return event !== sent.event && !this.#timeline.graph.happensBefore(sent.event, event);
  }
}
