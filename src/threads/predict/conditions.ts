/**
 * Condition variables: a wait ends because of a signal that came after it began. Which of several one
 * cannot tell, so it is taken to have heard all of them; one whose beginning is not in the trace, all ever.
 */
import type { ThreadClocks } from './clocks.ts';
import { Told } from './told.ts';

export class Condition {
  readonly #ever = new Told();
  readonly #waiters = new Map<number, Told>();

  waitBegin(thread: number): void {
    this.#waiters.set(thread, new Told());
  }

  signal(clocks: ThreadClocks, thread: number): void {
    const moment = clocks.momentOf(thread);
    this.#ever.tell(moment);
    for (const told of this.#waiters.values()) told.tell(moment);
  }

  waitEnd(clocks: ThreadClocks, thread: number): void {
    (this.#waiters.get(thread) ?? this.#ever).hear(clocks, thread);
    this.#waiters.delete(thread);
  }
}
