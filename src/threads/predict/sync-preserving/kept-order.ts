/**
 * What every reordering of rung.ts has to keep, while a trace is read: who waited for whom other than with
 * locks, which write each read found, and all critical sections. What a thread knows is what must have
 * happened before its newest event, but for what locks ask for, which is closure.ts's business.
 *
 *   T1  write x            T2, once it has read x, knows T1's write
 *   T2           read x
 */
import { Op } from '../../model/op.ts';
import type { ThreadTraceSource } from '../../model/trace.ts';
import type { Moment, ThreadClocks } from '../clocks.ts';
import { HeldLocks } from '../held-locks.ts';
import { SyncOrder } from '../sync-order.ts';
import { Told } from '../told.ts';
import { CriticalSections } from './critical-sections.ts';

export class KeptOrder {
  readonly sections = new CriticalSections();
  readonly #order: SyncOrder;
  readonly #held = new HeldLocks();
  /** By variable, its last store. */
  readonly #stores: (Moment | undefined)[] = [];
  /** By lock that somebody held when the trace began, its release. */
  readonly #heldBefore = new Map<number, Told>();

  constructor(trace: ThreadTraceSource) {
    const kept = { locks: false, wakeups: true, atomics: false, barriers: () => true };
    this.#order = new SyncOrder(kept, trace);
  }

  get clocks(): ThreadClocks {
    return this.#order.clocks;
  }

  /** Returns its index among the events of its thread. What an access finds is known after `settle`. */
  step(thread: number, op: Op, target: number, event: number): number {
    const index = this.#order.step(thread, op, target);
    if (op >= Op.acquire && op <= Op.releaseShared) this.#lock(thread, index, event, op, target);
    return index;
  }

  /** The access that came last: its thread has read and stored. */
  settle(thread: number, op: Op, variable: number): void {
    const { clocks } = this.#order;
    const stored = this.#stores[variable];
    if (stored !== undefined && op !== Op.write && op !== Op.atomicWrite) {
      clocks.learn(thread, stored);
    }
    if (op === Op.read || op === Op.atomicRead) return;
    while (this.#stores.length <= variable) this.#stores.push(undefined);
    this.#stores[variable] = clocks.momentOf(thread);
  }

  #lock(thread: number, index: number, event: number, op: Op, lock: number): void {
    const { clocks } = this.#order;
    const change = this.#held.step(thread, index, event, op, lock);
    if (change === undefined) return;
    if (change.kind === 'unknown holder') {
      const told = this.#heldBefore.get(lock) ?? new Told();
      this.#heldBefore.set(lock, told);
      told.tell(clocks.momentOf(thread));
      return;
    }
    if (change.kind === 'began') {
      this.#heldBefore.get(lock)?.hear(clocks, thread);
      this.sections.add(change.section);
    } else change.section.release = clocks.momentOf(thread);
    this.sections.changed(thread, index, this.#held.of(thread));
  }
}
