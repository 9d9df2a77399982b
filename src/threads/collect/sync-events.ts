/**
 * Makes events of synchronisation. A wait for a condition becomes four (model/op.ts):
 *
 *   WAIT_BEGIN c, m … WAIT_END c, m    →    wait-begin c · release m … acquire m · wait-end c
 *
 * Logs may lack operations of code that is not traced, or that ran before. So that the rules of a trace hold,
 *
 * - a release by somebody who does not hold the lock is left out, and counted; if another thread holds it,
 *   that one releases it: mutexes may be unlocked by anybody, though they should not be;
 * - whoever is in the way of an acquire has released the lock before it, and that is counted, too;
 * - a thread lets go of all its locks at its end. (Robust mutexes are acquired after that.)
 */
import type { AgentLog } from '../../linux/agent-log.ts';
import { LogOp } from '../../linux/agent-protocol.ts';
import { NONE, Op } from '../model/op.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { LockHolders } from './lock-holders.ts';
import { kindOfLock, LockRows } from './lock-rows.ts';
import type { SiteRows } from './site-rows.ts';

/** What needs a lock and nothing else. */
const LOCK_OPS: Readonly<Record<number, number>> = {
  [LogOp.DH_OP_SIGNAL]: Op.signal,
  [LogOp.DH_OP_BROADCAST]: Op.broadcast,
  [LogOp.DH_OP_POST]: Op.post,
  [LogOp.DH_OP_WAIT_DONE]: Op.waitDone,
  [LogOp.DH_OP_ARRIVE]: Op.arrive,
  [LogOp.DH_OP_LEAVE]: Op.leave,
  [LogOp.DH_OP_ONCE_BEGIN]: Op.onceBegin,
  [LogOp.DH_OP_ONCE_END]: Op.onceEnd,
  [LogOp.DH_OP_ONCE_PASS]: Op.oncePass,
};

/** `extra` is the number of the other thread. */
const THREAD_OPS: Readonly<Record<number, number>> = {
  [LogOp.DH_OP_FORK]: Op.fork,
  [LogOp.DH_OP_JOIN]: Op.join,
  [LogOp.DH_OP_DETACH]: Op.detach,
};

export class SyncEvents {
  readonly #writer: ThreadTraceBuilder;
  readonly #sites: SiteRows;
  readonly #rowOfThread: (number: number) => number | undefined;
  readonly #locks: LockRows;
  readonly #holders = new LockHolders();
  /** Releases by threads that did not hold the lock. */
  unheldReleases = 0;
  /** Acquires of locks that others held. */
  missingReleases = 0;

  /** @param rowOfThread of a thread by the agent's number; undefined if it has no log. */
  constructor(
    writer: ThreadTraceBuilder,
    sites: SiteRows,
    rowOfThread: (number: number) => number | undefined,
  ) {
    this.#writer = writer;
    this.#sites = sites;
    this.#rowOfThread = rowOfThread;
    this.#locks = new LockRows(writer.tables, (address) => sites.dataAt(address));
  }

  forgetLocks(address: number, size: number): void {
    this.#locks.forget(address, size);
  }

  /** `thread`: its row. */
  operation(thread: number, log: AgentLog): void {
    const { op, object, extra } = log;
    const site = log.caller === 0 ? NONE : this.#sites.ofCaller(log.caller);
    const lockOp = LOCK_OPS[op];
    if (lockOp !== undefined) {
      this.#writer.append(thread, lockOp, this.#locks.rowOf(kindOfLock(op, extra), object), site);
      return;
    }
    const threadOp = THREAD_OPS[op];
    if (threadOp !== undefined) {
      const other = this.#rowOfThread(extra);
      if (other !== undefined) this.#writer.append(thread, threadOp, other, site);
      return;
    }
    switch (op) {
      case LogOp.DH_OP_ACQUIRE:
      case LogOp.DH_OP_ACQUIRE_SHARED: {
        const lock = this.#locks.rowOf(kindOfLock(op, extra), object);
        this.#acquire(thread, lock, op === LogOp.DH_OP_ACQUIRE_SHARED, site);
        return;
      }
      case LogOp.DH_OP_RELEASE:
      case LogOp.DH_OP_RELEASE_SHARED:
        this.#release(thread, this.#locks.rowOf(kindOfLock(op, extra), object), site);
        return;
      case LogOp.DH_OP_WAIT_BEGIN:
        this.#writer.append(thread, Op.waitBegin, this.#locks.rowOf('condition', object), site);
        this.#release(thread, this.#locks.rowOf('mutex', extra), site);
        return;
      case LogOp.DH_OP_WAIT_END:
        this.#acquire(thread, this.#locks.rowOf('mutex', extra), false, site);
        this.#writer.append(thread, Op.waitEnd, this.#locks.rowOf('condition', object), site);
        return;
      case LogOp.DH_OP_BEGIN:
        this.#writer.append(thread, Op.begin, thread, site);
        return;
      case LogOp.DH_OP_END:
        for (const lock of this.#holders.heldBy(thread)) this.#letGo(thread, lock, NONE);
        this.#writer.append(thread, Op.end, thread, site);
        return;
      case LogOp.DH_OP_INIT:
        this.#locks.forgetOne(kindOfLock(op, extra), object);
        return;
    }
  }

  #acquire(thread: number, lock: number, isShared: boolean, site: number): void {
    for (const other of this.#holders.inTheWay(lock, thread, isShared)) {
      this.missingReleases++;
      this.#letGo(other, lock, NONE);
    }
    this.#holders.acquire(lock, thread, isShared);
    this.#writer.append(thread, isShared ? Op.acquireShared : Op.acquire, lock, site);
  }

  #release(thread: number, lock: number, site: number): void {
    const how = this.#holders.howHeld(lock, thread);
    if (how !== undefined) {
      this.#holders.release(lock, thread);
      this.#writer.append(thread, how === 'shared' ? Op.releaseShared : Op.release, lock, site);
      return;
    }
    this.unheldReleases++;
    for (const other of this.#holders.inTheWay(lock, thread, true)) this.#letGo(other, lock, NONE);
  }

  /** As often as it is held. */
  #letGo(thread: number, lock: number, site: number): void {
    for (let how = this.#holders.howHeld(lock, thread); how !== undefined; ) {
      this.#holders.release(lock, thread);
      this.#writer.append(thread, how === 'shared' ? Op.releaseShared : Op.release, lock, site);
      how = this.#holders.howHeld(lock, thread);
    }
  }
}
