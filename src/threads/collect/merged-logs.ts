/**
 * Goes through all logs of a process in one order. Operations stand by their numbers; what a thread does
 * between two of them comes right after the first,
 *
 *   thread 1   lock 3   write a   unlock 6                     lock 3 · write a · fork 4 · unlock 6 · lock 7 · …
 *   thread 2   fork 4   lock 7    read a   write b     →
 *
 * but for two cases. Memory may have become the thread's own only later (`lifetimes.ts`): then it goes on when
 * that has happened. And a plain read of atomic memory comes after the writes of others that it may have seen
 * (docs/atomics.md): then all of its segment is put off until the last of these, though not beyond the end of
 * memory that the segment touches. Accesses that other threads have told of are last in their epoch.
 *
 * It is gone through twice, with different visitors; what was decided the first time holds for the second.
 */
import { tellProgress } from '../../base/progress.ts';
import type { AgentLog, LogMark } from '../../linux/agent-log.ts';
import { LogKind } from '../../linux/agent-protocol.ts';
import { endsSegment, type FirstLook } from './first-look.ts';
import { KeyHeap } from './key-heap.ts';
import type { LateGeneration, Lifetimes } from './lifetimes.ts';
import { justAfter, justBefore } from './order-key.ts';
import type { PlainAtomics } from './plain-atomics.ts';
import { runOf, type StridedRun, spanOf } from './strided-run.ts';

/**
 * A segment with plain accesses to atomic memory is told in three parts, in this order: a read may have come
 * before all of its other accesses, a write after all, and what is in between is taken for ordered by them.
 */
export const Part = { all: 0, atomicReads: 1, plain: 2, atomicWrites: 3 } as const;

/** Threads are places in `FirstLook.threads`. */
export interface LogVisitor {
  /** Whether it wants to be told segments in parts. */
  readonly takesParts: boolean;
  part: number;
  /** Accesses of another segment, or another part of it, follow. */
  segmentBegins(): void;
  /** SYNC, ATOMIC or MEMORY (which frees), as in the log. */
  operation(thread: number, log: AgentLog): void;
  allocation(generation: number): void;
  access(thread: number, address: number, size: number, flags: number, site: number): void;
  run(thread: number, run: StridedRun, flags: number, site: number): void;
  /** `caller`: where a call of memcpy or the like returns to; 0 if it was an instruction. */
  range(
    thread: number,
    address: number,
    length: number,
    flags: number,
    site: number,
    caller: number,
  ): void;
  /** When another thread first frees some of the memory that is here now. */
  endByOthers(thread: number, address: number, length: number): number;
  /** How many bytes are accessed there; 0 if that is not known. */
  sizeAt(site: number): number;
}

/** Something that happens at a certain time, but is in no log of this process. */
export interface Interlude {
  readonly key: number;
  happen(): void;
}

class Cursor {
  readonly thread: number;
  readonly log: AgentLog;
  segment = 0;
  epoch = 0;
  /** The log is at an operation that is to be told next. */
  isAtOperation = false;
  /** The log is at an access that had to wait. */
  isAtAccess = false;
  isAtEnd = false;
  part: number = Part.all;
  start: LogMark | undefined;
  late: readonly LateGeneration[] | undefined;

  constructor(thread: number, log: AgentLog) {
    this.thread = thread;
    this.log = log;
  }
}

const AT_ONCE = -1;
/** Runs of so many accesses, and so many runs of a segment. */
const SHORTEST_REMEMBERED = 8;
const MOST_REMEMBERED = 100_000;
const TELL_EVERY = 1024;
/** No address is above. */
const ADDRESSES = 2 ** 48;

export class MergedLogs {
  readonly #look: FirstLook;
  readonly #lifetimes: Lifetimes;
  readonly #plainAtomics: PlainAtomics;
  /** By thread: to when which segments were put off. */
  readonly #putOff: Map<number, number>[];
  #isDecided = false;

  constructor(look: FirstLook, lifetimes: Lifetimes, plainAtomics: PlainAtomics) {
    this.#look = look;
    this.#lifetimes = lifetimes;
    this.#plainAtomics = plainAtomics;
    this.#putOff = look.threads.map(() => new Map());
  }

  /** `interludes` in the order of their keys. */
  walk(visitor: LogVisitor, interludes: readonly Interlude[] = []): void {
    new Walk(this, visitor, interludes).go();
    this.#isDecided = true;
  }

  get look(): FirstLook {
    return this.#look;
  }

  get lifetimes(): Lifetimes {
    return this.#lifetimes;
  }

  isInParts(thread: number, segment: number): boolean {
    return this.#plainAtomics.isIn(thread, segment);
  }

  /** When a segment is to be told that begins now. */
  placeOf(thread: number, segment: number, key: number, end: () => number): number {
    if (this.#isDecided) return this.#putOff[thread]!.get(segment) ?? key;
    const until = Math.min(this.#look.threads[thread]!.endOf(segment), this.#look.limit);
    const atomics = this.#plainAtomics;
    if (atomics.lastWriteByOthers(thread, segment, key, until) === key) return key;
    const place = atomics.lastWriteByOthers(thread, segment, key, Math.min(until, end()));
    if (place > key) this.#putOff[thread]!.set(segment, place);
    return place;
  }
}

class Walk {
  readonly #logs: MergedLogs;
  readonly #visitor: LogVisitor;
  readonly #cursors: readonly Cursor[];
  readonly #heap = new KeyHeap();
  readonly #interludes: readonly Interlude[];
  #nextInterlude = 0;
  #nextAllocation = 0;
  #nextDue: number;
  /** Of the segment that is being told. */
  readonly #toldRuns = new Set<string>();

  constructor(logs: MergedLogs, visitor: LogVisitor, interludes: readonly Interlude[]) {
    this.#logs = logs;
    this.#visitor = visitor;
    this.#interludes = interludes;
    this.#nextDue = this.#whenDue();
    this.#cursors = logs.look.threads.map(({ file }, thread) => new Cursor(thread, file.read()));
    for (const [thread, { keys }] of logs.look.threads.entries()) {
      this.#heap.push(keys.length === 0 ? 0 : justBefore(keys.items[0]!), thread);
    }
  }

  go(): void {
    const heap = this.#heap;
    const total = this.#logs.look.threads.reduce((sum, { keys }) => sum + keys.length + 1, 0);
    for (let done = 0; heap.size > 0; done++) {
      if (done % TELL_EVERY === 0) tellProgress('operations put in order', done, total);
      const key = heap.key;
      if (key >= this.#logs.look.limit) break;
      this.#catchUp(key, false);
      const next = this.#step(this.#cursors[heap.thread]!, key);
      if (next === undefined) heap.removeFirst();
      else heap.delayFirst(next);
    }
    this.#catchUp(this.#logs.look.limit, false);
  }

  /** What happened before this time, or also at it. */
  #catchUp(key: number, inclusive: boolean): void {
    while (this.#nextDue < key || (inclusive && this.#nextDue === key)) {
      const { births, byBirth } = this.#logs.lifetimes;
      const generation = byBirth[this.#nextAllocation];
      if (generation !== undefined && births[generation] === this.#nextDue) {
        this.#nextAllocation++;
        this.#visitor.allocation(generation);
      } else {
        this.#interludes[this.#nextInterlude++]!.happen();
      }
      this.#nextDue = this.#whenDue();
    }
  }

  /** When the next thing happens that is in no log, or not where it belongs. */
  #whenDue(): number {
    const { births, byBirth } = this.#logs.lifetimes;
    const generation = byBirth[this.#nextAllocation];
    const birth = generation === undefined ? Number.POSITIVE_INFINITY : births[generation]!;
    return Math.min(birth, this.#interludes[this.#nextInterlude]?.key ?? birth);
  }

  /** One operation and what comes after it; when to go on, or undefined if that was all. */
  #step(cursor: Cursor, key: number): number | undefined {
    if (cursor.isAtOperation) {
      this.#visitor.operation(cursor.thread, cursor.log);
      if (cursor.log.kind !== LogKind.DH_LOG_MEMORY) cursor.epoch++;
      cursor.segment++;
      cursor.isAtOperation = false;
      this.#catchUp(key, true);
      const later = this.#beginSegment(cursor, key);
      if (later > key) return justAfter(later);
    }
    const wait = this.#tellSegment(cursor, key);
    if (wait !== AT_ONCE) return justAfter(wait);
    if (cursor.isAtEnd) return undefined;
    cursor.isAtOperation = true;
    return this.#logs.look.threads[cursor.thread]!.endOf(cursor.segment);
  }

  #beginSegment(cursor: Cursor, key: number): number {
    const { thread, segment, log } = cursor;
    cursor.late = this.#logs.lifetimes.lateIn(thread, segment);
    const isInParts = this.#logs.isInParts(thread, segment);
    cursor.part = Part.all;
    if (!isInParts) return key;
    const start = log.mark();
    const place = this.#logs.placeOf(thread, segment, key, () => this.#endByOthers(cursor));
    log.rewind(start);
    if (this.#visitor.takesParts) {
      cursor.start = start;
      cursor.part = Part.atomicReads;
    }
    return place;
  }

  /** When another thread first frees memory that the segment touches. */
  #endByOthers({ log, thread }: Cursor): number {
    let end = Number.POSITIVE_INFINITY;
    const note = (address: number, length: number): void => {
      if (length <= 0 || address + length > ADDRESSES) return;
      end = Math.min(end, this.#visitor.endByOthers(thread, address, length));
    };
    while (log.next() && !endsSegment(log)) {
      if (log.kind === LogKind.DH_LOG_ACCESS) note(log.address, log.small);
      if (log.kind === LogKind.DH_LOG_RANGE) note(log.address, log.length);
      if (log.kind === LogKind.DH_LOG_RUN) note(runOf(log).address, spanOf(runOf(log)));
    }
    return end;
  }

  /** AT_ONCE once all of it is told, or what it has to wait for. */
  #tellSegment(cursor: Cursor, key: number): number {
    for (;;) {
      const wait = this.#tellPart(cursor, key);
      if (wait !== AT_ONCE) return wait;
      if (cursor.part === Part.all || cursor.part === Part.atomicWrites) break;
      cursor.part++;
      cursor.log.rewind(cursor.start!);
    }
    this.#visitor.part = cursor.part = Part.all;
    return AT_ONCE;
  }

  #tellPart(cursor: Cursor, key: number): number {
    const { log, thread } = cursor;
    const visitor = this.#visitor;
    visitor.part = cursor.part;
    visitor.segmentBegins();
    if (this.#toldRuns.size > 0) this.#toldRuns.clear();
    while (cursor.isAtAccess || log.next()) {
      cursor.isAtAccess = false;
      const { kind } = log;
      if (kind === LogKind.DH_LOG_ACCESS) {
        if (cursor.late !== undefined) {
          const wait = waitFor(cursor.late, key, log.address, log.small);
          if (wait !== AT_ONCE) return this.#suspend(cursor, wait);
        }
        visitor.access(thread, log.address, log.small, log.op, log.site);
      } else if (kind === LogKind.DH_LOG_RANGE || kind === LogKind.DH_LOG_RUN) {
        const wait = this.#tellMany(cursor, key);
        if (wait !== AT_ONCE) return this.#suspend(cursor, wait);
      } else if (endsSegment(log)) {
        if (kind !== LogKind.DH_LOG_MEMORY) this.#tellEarlier(cursor);
        return AT_ONCE;
      }
    }
    this.#tellEarlier(cursor);
    cursor.isAtEnd = true;
    return AT_ONCE;
  }

  #suspend(cursor: Cursor, wait: number): number {
    cursor.isAtAccess = true;
    return wait;
  }

  #tellMany({ log, thread, late }: Cursor, key: number): number {
    if (log.kind === LogKind.DH_LOG_RUN) {
      const run = runOf(log);
      const span = spanOf(run);
      if (run.count === 0 || run.address + span > ADDRESSES) return AT_ONCE;
      const wait = waitFor(late, key, run.address, span);
      if (wait === AT_ONCE && this.#isNews(run, log.op)) {
        this.#visitor.run(thread, run, log.op, log.site);
      }
      return wait;
    }
    const { address, length } = log;
    if (length === 0 || address + length > ADDRESSES) return AT_ONCE;
    const wait = waitFor(late, key, address, length);
    if (wait === AT_ONCE) {
      this.#visitor.range(thread, address, length, log.op, log.site, log.caller);
    }
    return wait;
  }

  /** A loop in a loop may go over the same memory many times, with nothing in between. */
  #isNews({ address, stride, count, size }: StridedRun, flags: number): boolean {
    if (count < SHORTEST_REMEMBERED) return true;
    const name = `${address} ${stride} ${count} ${size} ${flags}`;
    if (this.#toldRuns.has(name)) return false;
    if (this.#toldRuns.size === MOST_REMEMBERED) this.#toldRuns.clear();
    this.#toldRuns.add(name);
    return true;
  }

  #tellEarlier({ thread, epoch }: Cursor): void {
    const { earlier } = this.#logs.look;
    earlier.forEach(thread, epoch, (one) => {
      const address = earlier.addresses.items[one]!;
      const site = earlier.sites.items[one]!;
      const inGranule = 8 - (address & 7);
      // The granule that it was told for: others of the same access are told for themselves.
      const size = Math.min(this.#visitor.sizeAt(site) || inGranule, inGranule);
      this.#visitor.access(thread, address, size, earlier.flags.items[one]!, site);
    });
  }
}

/** When the last block begins that overlaps the range and has not begun yet. */
function waitFor(
  late: readonly LateGeneration[] | undefined,
  key: number,
  address: number,
  length: number,
): number {
  let wait = AT_ONCE;
  if (late === undefined) return wait;
  for (const { start, end, birth } of late) {
    if (birth > key && start < address + length && end > address) wait = Math.max(wait, birth);
  }
  return wait;
}
