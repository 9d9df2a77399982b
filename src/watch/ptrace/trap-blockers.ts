/**
 * Which threads have SIGTRAP blocked. Most never have, and of those it is enough to look now and then: one may also
 * block it while it is watched, and what comes of that is late, and dropped. New threads have everything blocked
 * for a moment, and are looked at each time until they have not, or it is clear that they always will.
 */
import type { Tid } from '../../linux/ids.ts';
import { hasSignal, signalSetsOf } from '../../linux/signal-sets.ts';
import { Signal } from '../../linux/signals.ts';

const LOOK_EVERY_MS = 1000;
/** Who has it blocked for so long has it blocked for good. */
const NEW_FOR_MS = 1000;

interface Looked {
  readonly isBlocker: boolean;
  readonly at: number;
  /** Since when it has been as it is. */
  readonly since: number;
}

export class TrapBlockers {
  readonly #looked = new Map<Tid, Looked>();

  has(task: Tid): boolean {
    const now = performance.now();
    const last = this.#looked.get(task);
    const isSettled = last !== undefined && (!last.isBlocker || last.at - last.since > NEW_FOR_MS);
    if (isSettled && now - last.at < LOOK_EVERY_MS) return last.isBlocker;
    const sets = signalSetsOf(task);
    const isBlocker = sets !== undefined && hasSignal(sets('SigBlk'), Signal.SIGTRAP);
    const since = last?.isBlocker === isBlocker ? last.since : now;
    this.#looked.set(task, { isBlocker, at: now, since });
    return isBlocker;
  }

  forget(task: Tid): void {
    this.#looked.delete(task);
  }
}
