/**
 * Makes steps of a schedule from events, in whatever order these are to come (schedule.ts has an example).
 * The two events of an operation on a condition stand side by side in the trace: wait-begin(c) release(m), and
 * acquire(m) wait-end(c). The first one gives the step its place, so that it comes before whatever follows either.
 */
import { LogOp } from '../../linux/agent-protocol.ts';
import type { ScheduledStep } from '../../linux/agent-schedule.ts';
import { isAccess, NONE, Op } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';

export interface ScheduleStep extends ScheduledStep {
  /** Of the trace: for those two that become one, the first. */
  readonly event: number;
}

/** Those that are about a lock, as the agent calls them. */
const LOCK_OPS: Readonly<Record<number, number>> = {
  [Op.acquire]: LogOp.DH_OP_ACQUIRE,
  [Op.release]: LogOp.DH_OP_RELEASE,
  [Op.acquireShared]: LogOp.DH_OP_ACQUIRE_SHARED,
  [Op.releaseShared]: LogOp.DH_OP_RELEASE_SHARED,
  [Op.waitBegin]: LogOp.DH_OP_WAIT_BEGIN,
  [Op.waitEnd]: LogOp.DH_OP_WAIT_END,
  [Op.signal]: LogOp.DH_OP_SIGNAL,
  [Op.broadcast]: LogOp.DH_OP_BROADCAST,
  [Op.post]: LogOp.DH_OP_POST,
  [Op.waitDone]: LogOp.DH_OP_WAIT_DONE,
  [Op.arrive]: LogOp.DH_OP_ARRIVE,
  [Op.leave]: LogOp.DH_OP_LEAVE,
  [Op.onceBegin]: LogOp.DH_OP_ONCE_BEGIN,
  [Op.onceEnd]: LogOp.DH_OP_ONCE_END,
  [Op.oncePass]: LogOp.DH_OP_ONCE_PASS,
};

const isAtomic = (op: number): boolean => isAccess(op) && op !== Op.read && op !== Op.write;

const THREAD_OPS: ReadonlySet<number> = new Set([Op.fork, Op.join, Op.begin, Op.end]);

/** Whether an event can be a step at all. */
export const isStep = (op: number): boolean =>
  LOCK_OPS[op] !== undefined || THREAD_OPS.has(op) || isAtomic(op);

const mutexOf = (mutex: number | undefined) => (mutex === undefined ? {} : { mutex });

export class StepMaker {
  readonly made: ScheduleStep[] = [];
  /** By number of an object: its row in the table of locks. */
  readonly locks: number[] = [];
  readonly #trace: ThreadTrace;
  readonly #threads: number;
  /** By row of a lock. */
  readonly #objects = new Map<number, number>();
  readonly #forked = new Set<number>();

  /** @param threads how many rows have the numbers of the agent. */
  constructor(trace: ThreadTrace, threads: number) {
    this.#trace = trace;
    this.#threads = threads;
  }

  /** How many steps a thread has that are the agent's. */
  countOf(thread: number | undefined): number {
    const isOwn = (step: ScheduleStep): boolean =>
      step.thread === thread && step.op !== LogOp.DH_OP_ATOMIC;
    return this.made.filter(isOwn).length;
  }

  take(event: number): void {
    const trace = this.#trace;
    const row = trace.threadAt(event);
    if (row >= this.#threads) return;
    const [op, target] = [trace.opAt(event) as Op, trace.targetAt(event)];
    const add = (agentOp: number, object?: number, more?: Partial<ScheduledStep>): void => {
      this.made.push({ event, thread: row + 1, op: agentOp, object, ...more });
    };
    if (isAtomic(op)) {
      // Without a site, as of the end of an initialisation, there is no instruction to be held at.
      const hasPlace = trace.siteAt(event) !== NONE;
      if (hasPlace && !this.#isSameAccess(event - 1, event)) add(LogOp.DH_OP_ATOMIC);
    } else if (op === Op.fork || op === Op.join) {
      if (target >= this.#threads) return;
      if (op === Op.fork) this.#forked.add(target);
      add(op === Op.fork ? LogOp.DH_OP_FORK : LogOp.DH_OP_JOIN, target + 1);
    } else if (op === Op.begin) {
      // The agent knows of no beginning but that of a thread it has seen being made.
      if (this.#forked.has(row)) add(LogOp.DH_OP_BEGIN);
    } else if (op === Op.end) {
      add(LogOp.DH_OP_END);
    } else if (op === Op.waitBegin) {
      const mutex = this.#has(event + 1, Op.release, row) ? trace.targetAt(event + 1) : undefined;
      const condition = this.#objectOf(target);
      add(LogOp.DH_OP_WAIT_BEGIN, condition, mutexOf(this.#objectOf(mutex)));
    } else if (op === Op.acquire && this.#has(event + 1, Op.waitEnd, row)) {
      const condition = this.#objectOf(trace.targetAt(event + 1));
      add(LogOp.DH_OP_WAIT_END, condition, mutexOf(this.#objectOf(target)));
    } else {
      const belongsToWait =
        (op === Op.release && this.#has(event - 1, Op.waitBegin, row)) ||
        (op === Op.waitEnd && this.#has(event - 1, Op.acquire, row));
      if (belongsToWait) return;
      // Whether somebody asks at all, once all is initialised, depends on the moment.
      const isOptional = op === Op.oncePass || this.#maybeMadeUp(event);
      add(LOCK_OPS[op]!, this.#objectOf(target), isOptional ? { isOptional } : {});
    }
  }

  #has(event: number, op: Op, thread: number): boolean {
    const trace = this.#trace;
    if (event < 0 || event >= trace.length) return false;
    return trace.opAt(event) === op && trace.threadAt(event) === thread;
  }

  /** An access to several variables is an event for each of them. */
  #isSameAccess(before: number, event: number): boolean {
    const trace = this.#trace;
    return (
      before >= 0 &&
      trace.siteAt(event) !== NONE &&
      trace.siteAt(before) === trace.siteAt(event) &&
      trace.threadAt(before) === trace.threadAt(event) &&
      trace.opAt(before) === trace.opAt(event) &&
      trace.targetAt(before) !== trace.targetAt(event)
    );
  }

  /**
   * Whether it may be a release that only keeps the rules of traces: of a lock that a thread holds at its end,
   * or that somebody else takes though it is held. Such a one has no place in the program (but neither have
   * those in libraries that are not traced), and comes right before what it is for.
   */
  #maybeMadeUp(event: number): boolean {
    const trace = this.#trace;
    const isPlaceless = (at: number): boolean =>
      (trace.opAt(at) === Op.release || trace.opAt(at) === Op.releaseShared) &&
      trace.siteAt(at) === NONE;
    if (!isPlaceless(event)) return false;
    let next = event + 1;
    while (next < trace.length && isPlaceless(next)) next++;
    if (next >= trace.length) return false;
    const op = trace.opAt(next);
    if (op === Op.end) return trace.threadAt(next) === trace.threadAt(event);
    const isTaken = op === Op.acquire || op === Op.acquireShared;
    return isTaken && trace.targetAt(next) === trace.targetAt(event);
  }

  #objectOf(lock: number): number;
  #objectOf(lock: number | undefined): number | undefined;
  #objectOf(lock: number | undefined): number | undefined {
    if (lock === undefined) return undefined;
    const known = this.#objects.get(lock);
    if (known !== undefined) return known;
    this.#objects.set(lock, this.locks.length);
    return this.locks.push(lock) - 1;
  }
}
