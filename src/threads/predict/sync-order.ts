/**
 * Which events come before which, by what threads wait for each other with. Call `step` for each event of
 * a trace; the clocks then say what came before it.
 *
 *   fork → the thread's events → join      allocate → accesses to what is in it
 *   release → acquire                      shared and exclusive holders of a lock, either way
 *   signal, broadcast → wait-end           arrive → leave         post → wait-done
 *   once-end → once-pass                   an atomic store → those that read it
 *
 * Detectors differ in which of these they keep, see `Kept`. What is always kept is what no order of the
 * same events can do without: a thread does nothing before its fork, nobody joins before the end, nobody
 * passes before the one initialisation is done, nobody touches what is not allocated yet.
 *
 * Where the trace does not say who woke whom, all who may have are taken to come before: rather a race
 * less than a false one.
 */
import { unreachable } from '../../base/assert.ts';
import { NONE, Op } from '../model/op.ts';
import type { ThreadTraceSource } from '../model/trace.ts';
import { Barrier } from './barriers.ts';
import { ByNumber } from './by-number.ts';
import type { Moment } from './clocks.ts';
import { ThreadClocks } from './clocks.ts';
import { Condition } from './conditions.ts';
import { Told } from './told.ts';

export interface Kept {
  /** Who holds a lock comes after those who held it before. */
  readonly locks: boolean;
  /** Who was woken by a condition, or let pass by a semaphore, comes after those who may have done that. */
  readonly wakeups: boolean;
  /** Who reads atomically what was stored atomically comes after that. */
  readonly atomics: boolean;
  readonly barriers: (barrier: number) => boolean;
}

export class SyncOrder {
  readonly clocks = new ThreadClocks();
  readonly #kept: Kept;
  readonly #trace: ThreadTraceSource;
  readonly #exclusive = new ByNumber(() => new Told());
  readonly #shared = new ByNumber(() => new Told());
  readonly #conditions = new ByNumber(() => new Condition());
  readonly #semaphores = new ByNumber(() => new Told());
  readonly #barriers = new ByNumber(() => new Barrier());
  readonly #initialisations = new ByNumber(() => new Told());
  /** By initialisation that has not ended, who began it last. */
  readonly #initialisers = new Map<number, number>();
  readonly #atomics = new Map<number, Moment>();
  readonly #allocations = new Map<number, Moment>();

  constructor(kept: Kept, trace: ThreadTraceSource) {
    this.#kept = kept;
    this.#trace = trace;
  }

  /** Returns the event's index among those of its thread. */
  step(thread: number, op: Op, target: number): number {
    const index = this.clocks.step(thread);
    if (op <= Op.atomicUpdate) {
      if (this.#allocations.size > 0) this.#hearAllocation(thread, target);
      if (op >= Op.atomicRead && this.#kept.atomics) this.#atomicAccess(thread, op, target);
    } else this.#synchronise(thread, op, target);
    return index;
  }

  #hearAllocation(thread: number, variable: number): void {
    const allocation = this.#trace.tables.variables.cell(variable, 'allocation');
    const moment = allocation === NONE ? undefined : this.#allocations.get(allocation);
    if (moment !== undefined) this.clocks.learn(thread, moment);
  }

  /** A store hides those before it: who reads it has not heard of them, unless it had read them itself. */
  #atomicAccess(thread: number, op: Op, variable: number): void {
    const stored = op === Op.atomicWrite ? undefined : this.#atomics.get(variable);
    if (stored !== undefined) this.clocks.learn(thread, stored);
    if (op !== Op.atomicRead) this.#atomics.set(variable, this.clocks.momentOf(thread));
  }

  #synchronise(thread: number, op: Op, target: number): void {
    const { clocks } = this;
    const { locks, wakeups, barriers } = this.#kept;
    switch (op) {
      case Op.acquire:
        if (!locks) return;
        this.#exclusive.find(target)?.hear(clocks, thread);
        this.#shared.find(target)?.hear(clocks, thread);
        return;
      case Op.release:
        if (locks) this.#exclusive.at(target).tell(clocks.momentOf(thread));
        return;
      case Op.acquireShared:
        if (locks) this.#exclusive.find(target)?.hear(clocks, thread);
        return;
      case Op.releaseShared:
        if (locks) this.#shared.at(target).tell(clocks.momentOf(thread));
        return;
      case Op.waitBegin:
        if (wakeups) this.#conditions.at(target).waitBegin(thread);
        return;
      case Op.waitEnd:
        if (wakeups) this.#conditions.at(target).waitEnd(clocks, thread);
        return;
      case Op.signal:
      case Op.broadcast:
        if (wakeups) this.#conditions.at(target).signal(clocks, thread);
        return;
      case Op.post:
        if (wakeups) this.#semaphores.at(target).tell(clocks.momentOf(thread));
        return;
      case Op.waitDone:
        if (wakeups) this.#semaphores.find(target)?.hear(clocks, thread);
        return;
      case Op.arrive:
        if (barriers(target)) this.#barriers.at(target).arrive(clocks, thread);
        return;
      case Op.leave:
        if (barriers(target)) this.#barriers.at(target).leave(clocks, thread);
        return;
      case Op.onceBegin:
        if (wakeups) this.#beginAgain(thread, target);
        this.#initialisers.set(target, thread);
        return;
      case Op.onceEnd:
        this.#initialisers.delete(target);
        this.#initialisations.at(target).tell(clocks.momentOf(thread));
        return;
      case Op.oncePass:
        this.#initialisations.find(target)?.hear(clocks, thread);
        return;
      case Op.fork:
      case Op.processFork:
        clocks.learn(target, clocks.momentOf(thread));
        return;
      case Op.join:
        clocks.learn(thread, clocks.momentOf(target));
        return;
      case Op.allocate:
        this.#allocations.set(target, clocks.momentOf(thread));
        return;
      case Op.read:
      case Op.write:
      case Op.atomicRead:
      case Op.atomicWrite:
      case Op.atomicUpdate:
      case Op.begin:
      case Op.end:
      case Op.detach:
      case Op.free:
        return;
      default:
        unreachable(op, 'order of an event');
    }
  }

  /**
   * An initialisation that begins although one has begun before comes after that, which was given up (by an
   * exception, say). When is not in the trace: all that its thread did until now may have been part of it.
   */
  #beginAgain(thread: number, target: number): void {
    this.#initialisations.find(target)?.hear(this.clocks, thread);
    const before = this.#initialisers.get(target);
    if (before !== undefined) this.clocks.learn(thread, this.clocks.momentOf(before));
  }
}
