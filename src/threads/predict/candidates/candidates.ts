/**
 * The pre-filter: which pairs of accesses might race in some order, whatever the cheap rungs say. All those
 * on one variable by different threads, of which one stores and not both are atomic,
 *
 * - that are concurrent by what no order of these events can do without: fork and join, once, barriers that
 *   always have the same threads, allocation before use. Locks, conditions, semaphores and atomics do not
 *   count: in another order they may have let others pass.
 * - and whose threads do not hold a lock that keeps one of them out.
 *
 *   T1  acquire m   write x   release m          x: both hold m, no candidate
 *   T2              acquire m   write x   …      y: T1 before, T2 after its section: a candidate, since m
 *                                                   orders them only as it happened to be taken
 *
 * They are folded like races, by variable and sites, with a few pairs each to look at. Bounds, so that a
 * long trace with many sites stays possible: accesses are compared with the 31 newest contexts of their
 * variable (contexts.ts), and a variable with more than 64 candidates is looked at no further. Where that left something out,
 * `crowded` says on how many variables.
 */
import { assert } from '../../../base/assert.ts';
import type { EventColumns } from '../../model/event-columns.ts';
import { NONE, Op } from '../../model/op.ts';
import type { ThreadTraceSource } from '../../model/trace.ts';
import { classOfOp, doConflict } from '../access-class.ts';
import { ByNumber } from '../by-number.ts';
import { HeldLocks } from '../held-locks.ts';
import type { AccessPair } from '../race.ts';
import { SyncOrder } from '../sync-order.ts';
import { type Context, Contexts } from './contexts.ts';
import { fixedBarriers } from './fixed-barriers.ts';
import { Locksets } from './locksets.ts';

const MOST_PER_VARIABLE = 64;
const MOST_PAIRS = 4;
const MOST_SITES = 2 ** 26 - 1;

/** Pairs at the same two sites, in different contexts; the first ones in the trace. */
export type Candidate = readonly [AccessPair, ...AccessPair[]];

class Variable {
  readonly contexts = new Contexts();
  /** By pair of sites. */
  readonly candidates = new Map<number, [AccessPair, ...AccessPair[]]>();
  hasTooMany = false;
}

export class Candidates {
  readonly #order: SyncOrder;
  readonly #held = new HeldLocks();
  readonly #locksets = new Locksets();
  readonly #locksetOf: number[] = [];
  readonly #variables = new ByNumber(() => new Variable());
  #events = 0;

  constructor(trace: ThreadTraceSource) {
    const fixed = fixedBarriers(trace);
    const barriers = (barrier: number): boolean => fixed.has(barrier);
    this.#order = new SyncOrder({ locks: false, wakeups: false, atomics: false, barriers }, trace);
  }

  /** The next events of the trace. */
  look({ count, threads, ops, targets, sites }: EventColumns): void {
    for (let i = 0; i < count; i++) {
      const thread = threads[i]!;
      const op = ops[i]! as Op;
      const index = this.#order.step(thread, op, targets[i]!);
      if (op <= Op.atomicUpdate) {
        this.#access(thread, index, this.#events + i, op, targets[i]!, sites[i]!);
      } else if (op <= Op.releaseShared) {
        this.#held.step(thread, index, this.#events + i, op, targets[i]!);
        while (this.#locksetOf.length <= thread) this.#locksetOf.push(0);
        this.#locksetOf[thread] = this.#locksets.numberOf(this.#held.of(thread));
      }
    }
    this.#events += count;
  }

  *all(): Generator<Candidate> {
    for (const { candidates } of this.#variables.all()) yield* candidates.values();
  }

  /** On how many variables something was left out. */
  get crowded(): number {
    const isCrowded = ({ contexts, hasTooMany }: Variable): boolean =>
      contexts.isCrowded || hasTooMany;
    return [...this.#variables.all()].filter(isCrowded).length;
  }

  #access(
    thread: number,
    index: number,
    event: number,
    op: number,
    variable: number,
    site: number,
  ): void {
    const accessClass = classOfOp[op]!;
    const lockset = this.#locksetOf[thread] ?? 0;
    const state = this.#variables.at(variable);
    if (state.hasTooMany) return;
    const known = state.contexts.find(thread, accessClass, site, lockset);
    const context = known ?? { thread, accessClass, site, lockset, index, event, op, paired: 0 };
    context.index = index;
    context.event = event;
    context.op = op;
    const { all } = state.contexts;
    for (let i = 0; i < all.length; i++) {
      if ((context.paired & (1 << i)) !== 0 || !this.#mayRace(all[i]!, context)) continue;
      context.paired |= 1 << i;
      this.#pair(state, variable, all[i]!, context);
    }
    if (known === undefined) state.contexts.add(context);
  }

  #mayRace(one: Context, newer: Context): boolean {
    return (
      one.thread !== newer.thread &&
      doConflict(one.accessClass, newer.accessClass) &&
      !this.#order.clocks.knows(newer.thread, one.thread, one.index) &&
      !this.#locksets.doExclude(one.lockset, newer.lockset)
    );
  }

  #pair(state: Variable, variable: number, one: Context, newer: Context): void {
    const { candidates } = state;
    const key = keyOf(Math.min(one.site, newer.site), Math.max(one.site, newer.site));
    const pairs = candidates.get(key);
    const pair = { variable, first: accessOf(one), second: accessOf(newer) };
    if (pairs !== undefined) {
      if (pairs.length < MOST_PAIRS) pairs.push(pair);
    } else if (candidates.size < MOST_PER_VARIABLE) candidates.set(key, [pair]);
    else state.hasTooMany = true;
  }
}

/** One number for two sites; NONE is the greatest. */
function keyOf(low: number, high: number): number {
  assert(high < MOST_SITES || high === NONE, 'more sites than any program has');
  return Math.min(low, MOST_SITES) * (MOST_SITES + 1) + Math.min(high, MOST_SITES);
}

function accessOf({ event, thread, op, site }: Context): AccessPair['first'] {
  return { event, thread, op, site };
}
