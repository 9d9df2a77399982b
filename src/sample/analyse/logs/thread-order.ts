/**
 * What is known to come before what, from the operations that threads meet by: creating and joining, conditions,
 * barriers, semaphores, once, messages, epoll. Locks are no order here: who had one first is chance, and what
 * they protect is told by the locks that were held. Only mutexes that conditions are waited for with are, since a queue
 * is handed over by them whether anybody had to wait or not: logs have them as semaphores.
 *
 * Each thread has a clock; what lets others go on (`releases`) leaves it at the object, and whoever goes on
 * (`acquires`) takes over what is there. So a wait is taken to come after all earlier signals of its condition,
 * not only after the one that woke it: better too much order than a race that is none.
 *
 *   thread 1   x = 1; sem_post(s);          its clock, with x, is at s now
 *   thread 2   sem_wait(s); read x;         knows it: this comes after
 *
 * Logs have only what tells a thread of samples that it did not know of (agent/sampling/news.h). That is the same order.
 */
import { LogOp } from '../../../linux/agent-protocol.ts';
import { Clocks } from '../../../order/clock.ts';
import { type Clock, emptyClock } from '../../../order/clock-nodes.ts';
import type { Slot } from '../../../order/ids.ts';
import { growingShorts, growingWords } from '../growing.ts';

const RELEASES: ReadonlySet<number> = new Set([
  ...[LogOp.DH_OP_SIGNAL, LogOp.DH_OP_BROADCAST, LogOp.DH_OP_POST, LogOp.DH_OP_ARRIVE],
  ...[LogOp.DH_OP_ONCE_END],
]);
const ACQUIRES: ReadonlySet<number> = new Set([
  ...[LogOp.DH_OP_WAIT_END, LogOp.DH_OP_WAIT_DONE, LogOp.DH_OP_LEAVE],
  ...[LogOp.DH_OP_ONCE_BEGIN, LogOp.DH_OP_ONCE_PASS],
]);

interface ThreadState {
  clock: Clock;
  epoch: number;
  /** What its accesses belong to now; undefined until there is one. */
  segment: number | undefined;
  /** It has waited for another thread, or whoever created it had. */
  hasMet: boolean;
}

/** What a thread begins with. */
type Start = Pick<ThreadState, 'clock' | 'hasMet'>;

/** Operations must come in the order of their times. */
export class ThreadOrder {
  readonly #clocks = new Clocks();
  readonly #threads: ThreadState[];
  readonly #objects = new Map<bigint, Clock>();
  /** By number: what a thread begins with, and ends with. */
  readonly #starts = new Map<number, Start>();
  readonly #ends = new Map<number, Clock>();
  /** The same by pthread_t, for those who join without knowing the number. */
  readonly #endsByHandle = new Map<bigint, Clock>();
  readonly #segmentThreads = growingShorts();
  readonly #segmentEpochs = growingWords();
  readonly #segmentClocks = growingWords();

  constructor(threads: number) {
    this.#threads = Array.from({ length: threads }, (_, thread) => ({
      clock: this.#clocks.with(emptyClock, thread as Slot, 1),
      epoch: 1,
      segment: undefined,
      hasMet: false,
    }));
  }

  /** `thread`: its place among the logs; `number`: what the process calls it. */
  operation(thread: number, number: number, op: number, object: bigint, extra: number): void {
    switch (op) {
      case LogOp.DH_OP_FORK:
        this.#starts.set(extra, { clock: this.#release(thread), hasMet: this.hasMet(thread) });
        return;
      case LogOp.DH_OP_BEGIN:
        this.#begin(thread, this.#starts.get(number));
        return;
      case LogOp.DH_OP_END: {
        const clock = this.#release(thread);
        this.#ends.set(number, clock);
        this.#endsByHandle.set(object, clock);
        return;
      }
      case LogOp.DH_OP_JOIN:
        this.#meet(thread, extra === 0 ? this.#endsByHandle.get(object) : this.#endOf(extra));
        return;
      default:
        break;
    }
    if (RELEASES.has(op)) {
      const clock = this.#release(thread);
      this.#objects.set(object, this.#clocks.join(this.#objects.get(object) ?? emptyClock, clock));
    } else if (ACQUIRES.has(op)) this.#meet(thread, this.#objects.get(object));
  }

  /** Whether anything that another thread did is known to come before what the thread does now, its creation apart. */
  hasMet(thread: number): boolean {
    return this.#threads[thread]!.hasMet;
  }

  /** One without a log has done nothing but begin and end. */
  #endOf(number: number): Clock | undefined {
    return this.#ends.get(number) ?? this.#starts.get(number)?.clock;
  }

  /** To what an access of the thread belongs, as things stand. */
  segmentOf(thread: number): number {
    const state = this.#threads[thread]!;
    if (state.segment === undefined) {
      state.segment = this.#segmentThreads.length;
      this.#segmentThreads.push(thread);
      this.#segmentEpochs.push(state.epoch);
      this.#segmentClocks.push(state.clock);
    }
    return state.segment;
  }

  /** Whether all of one segment comes before the other, which is of another thread. */
  comesBefore(one: number, other: number): boolean {
    const slot = this.#segmentThreads.at(one) as Slot;
    const known = this.#clocks.countOf(this.#segmentClocks.at(other) as Clock, slot);
    return known >= this.#segmentEpochs.at(one);
  }

  /** Returns what others may take over. */
  #release(thread: number): Clock {
    const state = this.#threads[thread]!;
    const { clock } = state;
    state.epoch++;
    state.clock = this.#clocks.with(clock, thread as Slot, state.epoch);
    state.segment = undefined;
    return clock;
  }

  #begin(thread: number, start: Start | undefined): void {
    if (start === undefined) return;
    this.#acquire(thread, start.clock);
    this.#threads[thread]!.hasMet = start.hasMet;
  }

  #meet(thread: number, clock: Clock | undefined): void {
    if (clock !== undefined && this.#acquire(thread, clock)) this.#threads[thread]!.hasMet = true;
  }

  /** Returns whether there was anything new in it. */
  #acquire(thread: number, clock: Clock): boolean {
    const state = this.#threads[thread]!;
    const joined = this.#clocks.join(state.clock, clock);
    if (joined === state.clock) return false;
    state.clock = joined;
    state.segment = undefined;
    return true;
  }
}

/** Of operations at the same time, those that let others go on come first. */
export const isRelease = (op: number): boolean =>
  RELEASES.has(op) || op === LogOp.DH_OP_FORK || op === LogOp.DH_OP_END;
