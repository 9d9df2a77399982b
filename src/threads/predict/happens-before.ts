/**
 * The first rung: pairs of accesses that nothing orders in the trace as it is.
 *
 *   T1  write y   acquire m   release m
 *   T2                                    acquire m   release m   write y
 *
 * Here the lock orders the writes of y, and this rung is silent, though the next one is not. Had T2 come
 * first, nothing would order them.
 *
 * Each access is compared with the last ones of other threads (last-accesses.ts), which is enough to know
 * whether it races with any. The first race of a trace is real. Later ones need not be: what came before
 * them may have been decided by the first, as in
 *
 *   T1  data = 1   ready = 1
 *   T2                         if (ready) data = 2
 *
 * where ready races, and data is unordered only because of that. The next rung can tell them apart.
 */
import type { EventColumns } from '../model/event-columns.ts';
import type { Op } from '../model/op.ts';
import { isAccess } from '../model/op.ts';
import type { ThreadTraceSource } from '../model/trace.ts';
import { classOfOp, rivalsOf } from './access-class.ts';
import { FoldedPairs } from './folded-pairs.ts';
import { LastAccesses } from './last-accesses.ts';
import { SyncOrder } from './sync-order.ts';

export class HappensBeforeRung {
  readonly found = new FoldedPairs();
  readonly #order: SyncOrder;
  readonly #accesses = new LastAccesses();
  #events = 0;

  constructor(trace: ThreadTraceSource) {
    const kept = { locks: true, wakeups: true, atomics: true, barriers: () => true };
    this.#order = new SyncOrder(kept, trace);
  }

  /** The next events of the trace. */
  look({ count, threads, ops, targets, sites }: EventColumns): void {
    for (let i = 0; i < count; i++) {
      const thread = threads[i]!;
      const op = ops[i]! as Op;
      const index = this.#order.step(thread, op, targets[i]!);
      if (isAccess(op)) this.#access(thread, index, this.#events + i, op, targets[i]!, sites[i]!);
    }
    this.#events += count;
  }

  #access(
    thread: number,
    index: number,
    event: number,
    op: number,
    variable: number,
    site: number,
  ): void {
    const accesses = this.#accesses;
    const { clocks } = this.#order;
    const accessClass = classOfOp[op]!;
    for (const rival of rivalsOf[accessClass]!) {
      accesses.visitUnordered(accesses.placeOf(variable, rival), clocks, thread, (one) =>
        this.found.add(variable, one.event, one.thread, one.op, one.site, event, thread, op, site),
      );
    }
    const place = accesses.placeOf(variable, accessClass);
    accesses.add(place, clocks, thread, index, event, op, site);
  }
}
