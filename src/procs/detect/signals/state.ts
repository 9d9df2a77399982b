/**
 * The state of signal detection: what each process that gets signals has done lately, and whether a
 * signal could have come then.
 *
 *   P1   kill(P2, USR1)
 *   P2   ── sigaction(USR1) ── write ── (USR1 arrives)
 *
 * Nothing orders P1's kill with what P2 did: the signal could have come before the handler was there,
 * and killed P2. Had P2 told P1 through a pipe that it is ready, the steps before that would not count;
 * nor do those before which P2 had the signal blocked all the time.
 */
import type { Pid } from '../../../linux/ids.ts';
import type { EventId } from '../../../order/ids.ts';
import type { Step } from '../step.ts';
import type { Timeline } from '../timeline.ts';
import { isBlocked, type Mask, Masks, maskDuring } from './masks.ts';

/** So that a signal to a long-lived process does not walk through its whole life. */
const LONGEST_LOOK_BACK = 2000;

interface Past {
  step: Step;
  /** What was blocked just before it. */
  mask: Mask;
}

export class SignalState {
  readonly #timeline: Timeline;
  readonly #masks = new Masks();
  /** Only for processes that get signals from others. */
  readonly #past = new Map<Pid, Past[]>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    for (const delivered of timeline.sentBy.keys()) {
      this.#past.set(timeline.steps[delivered]!.process, []);
    }
  }

  note(step: Step): void {
    this.#past.get(step.process)?.push({ step, mask: this.#masks.of(step.task) });
    this.#masks.note(step);
  }

  /** The call that sent the signal which arrives in this step. */
  sendingOf({ event }: Step): Step | undefined {
    const sent = this.#timeline.sentBy.get(event);
    return sent === undefined ? undefined : this.#timeline.steps[sent];
  }

  /**
   * What the process did that nothing orders with the sending, from the first moment on at which the
   * signal was not held back; the latest first.
   */
  couldHaveMet(sent: EventId, process: Pid, signal: number): Step[] {
    const past = this.#past.get(process) ?? [];
    const met: Step[] = [];
    let possible = 0;
    const end = Math.max(0, past.length - LONGEST_LOOK_BACK);
    for (let index = past.length - 1; index >= end; index--) {
      const { step, mask } = past[index]!;
      if (this.#timeline.graph.happensBefore(step.event, sent)) break;
      met.push(step);
      if (!isBlocked(maskDuring(step) ?? mask, signal)) possible = met.length;
    }
    return met.slice(0, possible);
  }
}
