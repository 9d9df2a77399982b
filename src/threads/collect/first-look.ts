/**
 * What must be known of all logs of a process before its events can be put in order: when each thread's
 * operations were, what was allocated and freed, where atomic operations went, and what threads say of the
 * accesses of others. Accesses themselves are passed over.
 */
import { tellProgress } from '../../base/progress.ts';
import type { AgentLog } from '../../linux/agent-log.ts';
import type { AgentLogFile } from '../../linux/agent-log-file.ts';
import { LogKind, LogOp } from '../../linux/agent-protocol.ts';
import { AtomicGranules } from './atomic-granules.ts';
import { EarlierAccesses } from './earlier-accesses.ts';
import { GUARD_BYTES, isFinishedOnce } from './finished-once.ts';
import { GrowingBytes, GrowingFloats } from './growing.ts';
import { MemoryOperations } from './memory-operations.ts';
import { operationKey } from './order-key.ts';

/** A segment of a log is what a thread did between two operations, or before the first one. */
export class ThreadLook {
  readonly file: AgentLogFile;
  /** Of each operation that ends a segment: the segment i + 1 comes after the operation i. */
  readonly keys = new GrowingFloats();
  /** 1 if it also ends an epoch, as all do but those that free memory. */
  readonly endsEpoch = new GrowingBytes();
  damage: string | undefined;

  constructor(file: AgentLogFile) {
    this.file = file;
  }

  /** When a segment begins, and when it ends. */
  startOf(segment: number): number {
    return segment === 0 ? 0 : this.keys.items[segment - 1]!;
  }

  endOf(segment: number): number {
    return segment < this.keys.length ? this.keys.items[segment]! : Number.POSITIVE_INFINITY;
  }
}

export class FirstLook {
  readonly threads: readonly ThreadLook[];
  readonly memory = new MemoryOperations();
  readonly atomics = new AtomicGranules();
  readonly earlier: EarlierAccesses;
  /** Which thread has a number of the agent's: its place in `threads`. */
  readonly places: ReadonlyMap<number, number>;
  /** From here on, something is missing. */
  limit = Number.POSITIVE_INFINITY;

  constructor(files: readonly AgentLogFile[]) {
    this.threads = files.map((file) => new ThreadLook(file));
    this.places = new Map(files.map(({ header }, place) => [header.thread, place]));
    this.earlier = new EarlierAccesses(files.length);
    for (const [place, thread] of this.threads.entries()) {
      tellProgress('logs of threads read', place, files.length);
      this.#read(thread, place);
    }
    this.atomics.close();
    this.earlier.close();
  }

  #read(thread: ThreadLook, place: number): void {
    const log = thread.file.read();
    let last = 0;
    while (log.next()) {
      const isOperation = endsSegment(log);
      if (isOperation) {
        const key = operationKey(log.seq);
        if (key <= last) {
          thread.damage = `its operation ${log.seq} is out of order`;
          break;
        }
        last = key;
        thread.keys.push(key);
        thread.endsEpoch.push(log.kind === LogKind.DH_LOG_MEMORY ? 0 : 1);
      }
      if (log.kind !== LogKind.DH_LOG_ACCESS) this.#note(log, place);
    }
    thread.damage ??= log.damage;
    if (thread.damage !== undefined) this.limit = Math.min(this.limit, last + 1);
  }

  #note(log: AgentLog, place: number): void {
    switch (log.kind) {
      case LogKind.DH_LOG_MEMORY:
        this.memory.add(log, place);
        return;
      case LogKind.DH_LOG_ATOMIC:
        this.atomics.add(log.address, log.small);
        return;
      case LogKind.DH_LOG_SYNC:
        if (isFinishedOnce(log)) this.atomics.add(log.object, GUARD_BYTES);
        return;
      case LogKind.DH_LOG_EARLIER: {
        const other = this.places.get(log.otherThread);
        if (other !== undefined) this.earlier.add(log, other);
      }
    }
  }
}

/** Whether the record is an operation with a place in the order of all threads, and not an allocation. */
export function endsSegment(log: AgentLog): boolean {
  switch (log.kind) {
    case LogKind.DH_LOG_SYNC:
    case LogKind.DH_LOG_ATOMIC:
      return true;
    case LogKind.DH_LOG_MEMORY:
      return log.op === LogOp.DH_OP_FREE;
    default:
      return false;
  }
}
