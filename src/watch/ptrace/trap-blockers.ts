/**
 * Which threads have SIGTRAP blocked. Most never have, and of those it is enough to look now and then: one may also
 * block it while it is watched, and what comes of that is late, and dropped. New threads have everything blocked
 * for a moment, and are looked at each time until they have not.
 */
import type { Tid } from '../../linux/ids.ts';
import { hasSignal, signalSetsOf } from '../../linux/signal-sets.ts';
import { Signal } from '../../linux/signals.ts';

const LOOK_EVERY_MS = 100;

export class TrapBlockers {
  /** When each of those who had it not blocked was looked at. */
  readonly #free = new Map<Tid, number>();

  has(task: Tid): boolean {
    const now = performance.now();
    if (now - (this.#free.get(task) ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY_MS) return false;
    const sets = signalSetsOf(task);
    const isBlocker = sets !== undefined && hasSignal(sets('SigBlk'), Signal.SIGTRAP);
    if (isBlocker) this.#free.delete(task);
    else this.#free.set(task, now);
    return isBlocker;
  }

  forget(task: Tid): void {
    this.#free.delete(task);
  }
}
