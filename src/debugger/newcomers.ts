/**
 * Tasks that a tracee has made, between the two stops that tell of them: its own, and the new task's first one.
 * Either may come first; only after both nobody is on the way any more.
 */
import type { Tid } from '../linux/ids.ts';

export class Newcomers {
  readonly #expected = new Set<Tid>();
  readonly #early = new Set<Tid>();

  get areExpected(): boolean {
    return this.#expected.size > 0;
  }

  announced(task: Tid): void {
    if (!this.#early.delete(task)) this.#expected.add(task);
  }

  arrived(task: Tid): void {
    if (!this.#expected.delete(task)) this.#early.add(task);
  }

  gone(task: Tid): void {
    this.#expected.delete(task);
    this.#early.delete(task);
  }
}
