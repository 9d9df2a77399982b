/**
 * All steps of a trace that has to do with synchronisation (step.ts), and what there is at its beginning.
 * The trace itself is always one of the orders that its steps allow, whatever is in it: what contradicts
 * the rules of model/op.ts is left out.
 */
import { NONE, Op } from '../../model/op.ts';
import type { ThreadTrace } from '../../model/trace.ts';
import { groupedBy } from './grouped.ts';
import { HeldLocks } from './held-locks.ts';
import { OnceLevels } from './once-levels.ts';
import { setArrivalsNeeded } from './rounds.ts';
import type { Step, StepKind } from './step.ts';
import { markLapsedWaits } from './wakes.ts';

/** Between an event and the next, or the one before. */
const BESIDE = 0.5;

export class TraceSteps {
  readonly #steps: Step[] = [];
  readonly locks = new HeldLocks();
  /** By semaphore: the least that it can have had at first, since the trace does not say. */
  readonly firstCounts = new Map<number, number>();
  readonly #counts = new Map<number, number>();
  readonly #once = new OnceLevels();
  readonly #forked = new Set<number>();
  readonly #joined = new Set<number>();
  /** By thread: its last event other than its end. */
  readonly #lastEvents = new Map<number, number>();
  /** By thread: the condition that it waits for, and whether it has been noted that it goes on. */
  readonly #waits = new Map<number, { condition: number; isOver: boolean }>();
  /** By variable: the last atomic store, and how many there were. */
  readonly #stores = new Map<number, number>();
  /** Variables whose last store was not atomic: who finds that needs none of the atomic ones. */
  readonly #overwritten = new Set<number>();

  constructor(trace: ThreadTrace) {
    let event = 0;
    for (const { count, threads, ops, targets } of trace.chunks()) {
      for (let i = 0; i < count; i++) this.#take(event++, threads[i]!, ops[i] as Op, targets[i]!);
    }
    this.#steps.sort((a, b) => a.at - b.at);
    const groups = (kinds: ReadonlySet<StepKind>) =>
      groupedBy(
        this.#steps.filter(({ kind }) => kinds.has(kind)),
        'object',
      ).values();
    for (const steps of groups(CONDITION_KINDS)) markLapsedWaits(steps);
    for (const steps of groups(BARRIER_KINDS)) setArrivalsNeeded(steps);
  }

  /** In the order of the trace. */
  get all(): readonly Step[] {
    return this.#steps;
  }

  #take(event: number, thread: number, op: Op, target: number): void {
    if (op === Op.end) return;
    if (!this.#lastEvents.has(thread) && op !== Op.begin) this.#beginUnseen(thread, event);
    const add = (kind: StepKind, need = 0, make = 0): void =>
      this.#add(kind, thread, target, event, event, need, make);
    switch (op) {
      case Op.write:
        this.#overwritten.add(target);
        break;
      case Op.read:
      case Op.detach:
      case Op.allocate:
      case Op.free:
        break;
      case Op.begin:
        if (this.#forked.has(thread) && !this.#lastEvents.has(thread)) add('begin');
        break;
      case Op.fork:
      case Op.processFork:
        if (!this.#lastEvents.has(target)) this.#forked.add(target);
        add('fork');
        break;
      case Op.join:
        this.#endOf(target, event);
        add('join');
        break;
      case Op.acquire:
      case Op.acquireShared:
        this.#acquire(event, thread, target, op === Op.acquireShared);
        break;
      case Op.release:
      case Op.releaseShared: {
        const isShared = this.locks.isShared(target, thread) || op === Op.releaseShared;
        if (this.locks.give(target, thread, isShared)) add(isShared ? 'unlockShared' : 'unlock');
        break;
      }
      case Op.waitBegin:
        this.#waits.set(thread, { condition: target, isOver: false });
        add('waitBegin');
        break;
      case Op.waitEnd:
        this.#endWait(thread, event);
        this.#waits.delete(thread);
        add('waitEnd');
        break;
      case Op.signal:
        add('signal');
        break;
      case Op.broadcast:
        add('broadcast');
        break;
      case Op.post:
        this.#counts.set(target, (this.#counts.get(target) ?? 0) + 1);
        add('post');
        break;
      case Op.waitDone:
        this.#waitDone(target);
        add('waitDone');
        break;
      case Op.arrive:
        add('arrive');
        break;
      case Op.leave:
        add('leave');
        break;
      case Op.onceBegin: {
        const other = this.#once.begin(target, thread);
        if (other !== undefined) this.#add('onceEnd', other, target, NONE, event - BESIDE);
        add('onceBegin');
        break;
      }
      case Op.onceEnd:
        if (this.#once.end(target, thread)) add('onceEnd');
        break;
      case Op.oncePass: {
        const level = this.#once.level(target);
        if (level !== undefined) add('oncePass', level);
        break;
      }
      case Op.atomicRead:
        if (!this.#overwritten.has(target)) add('load', this.#stores.get(target) ?? 0);
        break;
      case Op.atomicWrite:
      case Op.atomicUpdate: {
        const before = this.#stores.get(target) ?? 0;
        this.#stores.set(target, before + 1);
        const isFree = this.#overwritten.delete(target) || op === Op.atomicWrite;
        if (isFree) add('store', 0, before + 1);
        else add('update', before, before + 1);
      }
    }
    this.#lastEvents.set(thread, event);
  }

  #beginUnseen(thread: number, event: number): void {
    if (this.#forked.has(thread)) this.#add('begin', thread, thread, NONE, event - BESIDE);
  }

  /** Its end counts as right after its last event: it may have been noted late. */
  #endOf(thread: number, event: number): void {
    if (this.#joined.has(thread)) return;
    this.#joined.add(thread);
    const last = this.#lastEvents.get(thread);
    if (last === undefined) this.#beginUnseen(thread, event);
    this.#add('end', thread, thread, NONE, last === undefined ? event - BESIDE : last + BESIDE);
  }

  #acquire(event: number, thread: number, lock: number, shared: boolean): void {
    this.#endWait(thread, event - BESIDE);
    const { owner, readers } = this.locks.inTheWay(lock, thread, shared);
    if (owner !== undefined) this.#add('unlock', owner, lock, NONE, event - BESIDE);
    for (const one of readers) this.#add('unlockShared', one, lock, NONE, event - BESIDE);
    for (const one of owner === undefined ? readers : [owner, ...readers]) {
      this.locks.forget(lock, one);
    }
    if (!this.locks.take(lock, thread, shared)) return;
    this.#add(shared ? 'lockShared' : 'lock', thread, lock, event, event);
  }

  /** A wait is over before its mutex is taken again. */
  #endWait(thread: number, at: number): void {
    const wait = this.#waits.get(thread);
    if (wait === undefined || wait.isOver) return;
    wait.isOver = true;
    this.#add('woken', thread, wait.condition, NONE, at);
  }

  #waitDone(semaphore: number): void {
    const count = (this.#counts.get(semaphore) ?? 0) - 1;
    this.#counts.set(semaphore, Math.max(count, 0));
    if (count >= 0) return;
    this.firstCounts.set(semaphore, (this.firstCounts.get(semaphore) ?? 0) + 1);
  }

  #add(
    kind: StepKind,
    thread: number,
    object: number,
    event: number,
    at: number,
    need = 0,
    make = 0,
  ): void {
    this.#steps.push({ kind, thread, object, need, make, event, at });
  }
}

const BARRIER_KINDS: ReadonlySet<StepKind> = new Set(['arrive', 'leave']);
const CONDITION_KINDS: ReadonlySet<StepKind> = new Set([
  'waitBegin',
  'woken',
  'signal',
  'broadcast',
]);
