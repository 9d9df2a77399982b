/**
 * The second rung: races that another order of the same events brings about, as long as every lock is taken
 * by the same threads one after the other as in the trace (Mathur, Pavlogiannis, Tunç and Viswanathan,
 * "Optimal prediction of synchronization-preserving races", POPL 2021). This is their definition and their
 * idea, with other data structures, and with more than mutexes.
 *
 * **What counts.** Another order, a reordering, may stop anywhere: it has some of the first events of each
 * thread, in their order. It is correct if the program could have done just that: critical sections of a
 * lock do not overlap, nobody acts before its fork or joins before the end, and each read finds the write
 * that it found in the trace, so that everybody decides as in the trace. It preserves synchronisation if of
 * any two acquires of a lock that it has, the same comes first as in the trace. Two conflicting accesses
 * race if after some such reordering both are the next that their threads do.
 *
 *   T1  1 write y   2 acquire m   3 release m
 *   T2                                           4 acquire m   5 release m   6 write y
 *
 * Events 1 and 6: let T2 do 4 and 5, and T1 nothing. Each lock's acquires (4 alone) are in their order, and
 * both threads stand before their writes of y: a race. Were there a write of x after 2 and a read of it
 * after 4, T2 could not get past that without T1's write, so 1 would have to come first: no race.
 *
 * **How it is found.** The part of the trace that must have happened before both threads stand where they
 * are to stand is the smallest that has what is before them, with each read the write that it finds, with
 * each event of a thread the fork and the like that it needs, and of each lock's sections that have begun
 * in it all but the last whole (closure.ts). In the trace's own order such a part is a correct reordering;
 * and every correct one that preserves synchronisation has all of it. So two accesses race if and only if
 * the part does not have the earlier of them (it cannot have the later: all of it is earlier than that).
 *
 * **Why that is quick.** A part only grows as either access moves on in its thread. So if the part of (a, b)
 * has a, then so has that of (a, b') for all later b' of that thread: a is settled for that thread, for good.
 * For each new access, lists of older ones (a variable's, by thread and class) are settled from the front
 * until one races, and never looked at from the beginning again. What is common to all pairs of a new access
 * is closed once and grows with its thread; what took many steps for one list is kept with it (its floor).
 * So for given numbers of threads, locks and variables the steps are as many as the trace is long, each with
 * a binary search that begins at the end.
 *
 * **What else threads wait with.** Locks for readers: the same, where only sections that exclude each other
 * count. Conditions, semaphores, barriers, once: their observed order is kept (sync-order.ts). Atomic
 * accesses are reads and writes like others, and find what they found, but do not race with each other.
 *
 * **What is reported.** Of each access, for each list, the earliest access that races with it, and of those
 * right after that a few more, which may be at other sites.
 *
 * Compared with happens-before: let e be the first event of the trace that has a happens-before race with
 * an earlier one. Then each of e's races is found here, too. (No event before e races, so each read before
 * it comes after its write by happens-before; so what happens before e or the other access is a part as
 * above.) Later ones need not be, see happens-before.ts.
 */
import type { EventColumns } from '../../model/event-columns.ts';
import { Op } from '../../model/op.ts';
import type { ThreadTraceSource } from '../../model/trace.ts';
import { classOfOp } from '../access-class.ts';
import { FoldedPairs } from '../folded-pairs.ts';
import { AccessLists } from './access-lists.ts';
import { KeptOrder } from './kept-order.ts';
import { Rivals, STEPS_WORTH_KEEPING } from './rivals.ts';

/** For tests: they change what is kept, never what is true. */
export interface Limits {
  readonly stepsWorthKeeping?: number;
  readonly mostPerVariable?: number;
}

export class SyncPreservingRung {
  readonly found: FoldedPairs;
  readonly #order: KeptOrder;
  readonly #lists = new AccessLists();
  readonly #rivals: Rivals;
  #events = 0;

  constructor(trace: ThreadTraceSource, limits: Limits = {}) {
    const { stepsWorthKeeping = STEPS_WORTH_KEEPING, mostPerVariable } = limits;
    this.found = new FoldedPairs(mostPerVariable);
    this.#order = new KeptOrder(trace);
    this.#rivals = new Rivals(this.#lists, this.#order.sections, stepsWorthKeeping);
  }

  /** The next events of the trace. */
  look({ count, threads, ops, targets, sites }: EventColumns): void {
    for (let i = 0; i < count; i++) {
      const thread = threads[i]!;
      const op = ops[i]! as Op;
      const target = targets[i]!;
      const event = this.#events + i;
      const index = this.#order.step(thread, op, target, event);
      if (op <= Op.atomicUpdate) this.#access(thread, index, event, op, target, sites[i]!);
    }
    this.#events += count;
  }

  #access(
    thread: number,
    index: number,
    event: number,
    op: Op,
    variable: number,
    site: number,
  ): void {
    const { clocks } = this.#order;
    const accessClass = classOfOp[op]!;
    const others = clocks.othersOf(thread);
    const newcomer = { thread, index, others };
    this.#lists.visitUnknown(variable, thread, accessClass, others, (list) => {
      for (const rival of this.#rivals.of(newcomer, list, clocks.width)) {
        this.#report(rival, list.thread, event, thread, op, variable, site);
      }
    });
    this.#lists.add(variable, thread, accessClass, index, event, op, site, others);
    this.#order.settle(thread, op, variable);
  }

  #report(
    rival: number,
    rivalThread: number,
    event: number,
    thread: number,
    op: Op,
    variable: number,
    site: number,
  ): void {
    const lists = this.#lists;
    const [rivalOp, rivalSite] = [lists.opOf(rival), lists.siteOf(rival)];
    const rivalEvent = lists.eventOf(rival);
    this.found.add(variable, rivalEvent, rivalThread, rivalOp, rivalSite, event, thread, op, site);
  }
}
