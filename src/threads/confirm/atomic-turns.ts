/**
 * Atomic accesses that have a turn in the schedule. The agent does not see them; so whoever comes to one that is
 * its next step stands there until its turn, makes this one step, and the next has its turn:
 *
 *   turn 5   T3  atomic-read(flag)     T2 stands at its store of the flag meanwhile
 *   turn 6   T2  atomic-write(flag)
 *
 * An access that is not the next step passes: a poll of the flag, of which traces have only the last.
 */

import type { TracedProcess } from '../../debugger/traced-process.ts';
import type { Tid, TraceeAddress } from '../../linux/ids.ts';
import { ignoringTheDead } from '../../linux/tracee-stop.ts';
import type { Gate } from './gate.ts';
import type { AtomicStep } from './side.ts';

export class AtomicTurns {
  readonly #gate: Gate | undefined;
  readonly #waiting = new Map<Tid, { readonly turn: number; readonly address: TraceeAddress }>();

  constructor(gate: Gate | undefined) {
    this.#gate = gate;
  }

  /** Who stands before one. */
  get tasks(): readonly Tid[] {
    return [...this.#waiting.keys()];
  }

  /** Whether the thread has to wait for its turn; `steps` are those that there are at this address. */
  hasToWait(task: Tid, address: TraceeAddress, steps: readonly AtomicStep[]): boolean {
    const gate = this.#gate;
    if (gate === undefined || gate.isOpen || steps.length === 0) return false;
    const thread = gate.numberOf(task);
    const turn = thread === undefined ? undefined : gate.nextAtomic(thread);
    const isNext = steps.some((step) => step.thread === thread && step.turn === turn);
    if (turn === undefined || !isNext) return false;
    this.#waiting.set(task, { turn, address });
    return true;
  }

  lost(task: Tid): void {
    this.#waiting.delete(task);
  }

  /** Lets those go on whose turn it is. */
  take(process: TracedProcess): void {
    const gate = this.#gate;
    const { breakpoints } = process;
    if (gate === undefined || breakpoints === undefined) return;
    for (let turn = gate.file.turn; ; turn = gate.file.turn) {
      const next = [...this.#waiting].find(([, one]) => one.turn === turn);
      if (next === undefined) return;
      const [task, { address }] = next;
      this.#waiting.delete(task);
      ignoringTheDead(() => {
        const stop = breakpoints.passAndStop(task, address);
        if (stop) return process.handle(task, stop);
        gate.file.pass();
        process.goOn(task);
      });
      // It was interrupted, and will come again.
      if (gate.file.turn === turn) return;
    }
  }
}
