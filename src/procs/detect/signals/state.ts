/**
 * The state of signal detection: who has sent what, and what each process has done lately.
 *
 *   P1   kill(P2, USR1)
 *   P2   ── sigaction(USR1) ── write ── (USR1 arrives)
 *
 * Nothing orders P1's kill with what P2 did: the signal could have come before the handler was there,
 * and killed P2. Had P2 told P1 through a pipe that it is ready, the steps before that would not count.
 * Nor do those before which the signal was held back all the time.
 */
import type { Pid } from '../../../linux/ids.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { Step } from '../step.ts';
import { holdsBack, type Mask, Masks, maskDuring } from './masks.ts';

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

/** A step, and what its process held back when it came to it. */
interface Lived {
  step: Step;
  mask: Mask;
}

export class SignalState {
  readonly #graph: HappensBeforeGraph;
  readonly #sent = new Map<string, Step>();
  readonly #lived = new Map<Pid, Lived[]>();
  readonly #masks = new Masks();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  note(step: Step): void {
    const lived = this.#lived.get(step.process);
    const mask = this.#masks.of(step.process);
    if (lived) lived.push({ step, mask });
    else this.#lived.set(step.process, [{ step, mask }]);
    this.#masks.note(step);
    const signal = sentBy(step);
    if (signal !== undefined) this.#sent.set(`${step.process} ${signal}`, step);
  }

  sentBy(process: Pid, signal: number): Step | undefined {
    return this.#sent.get(`${process} ${signal}`);
  }

  /**
   * What the process did before `delivered` that nothing orders with `sent`, from the first moment on
   * at which the signal was not held back; the latest first.
   */
  couldHaveMet(sent: Step, delivered: Step, signal: number): Step[] {
    const lived = this.#lived.get(delivered.process) ?? [];
    const met: Step[] = [];
    let possible = 0;
    const end = Math.max(0, lived.length - LONGEST_LOOK_BACK);
    for (let index = lived.length - 1; index >= end; index--) {
      const { step, mask } = lived[index]!;
      if (this.#graph.happensBefore(step.event, sent.event)) break;
      met.push(step);
      if (!holdsBack(maskDuring(step) ?? mask, signal)) possible = met.length;
    }
    return met.slice(0, possible);
  }
}

function sentBy({ record }: Step): number | undefined {
  if (record.kind !== 'call' || record.result !== 0) return undefined;
  const at = SENDING[syscallName(record.number)];
  return at === undefined ? undefined : record.args[at];
}
