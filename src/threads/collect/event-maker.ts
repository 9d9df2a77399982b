/** The second time through the logs: makes events of what is shared, and of all synchronisation. */
import type { AgentLog } from '../../linux/agent-log.ts';
import { AccessFlag, LogKind } from '../../linux/agent-protocol.ts';
import { NONE, Op } from '../model/op.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { GUARD_BYTES, isFinishedOnce } from './finished-once.ts';
import type { Lifetimes } from './lifetimes.ts';
import { LivingMemory } from './living-memory.ts';
import { type LogVisitor, Part } from './merged-logs.ts';
import { firstGranule, GRANULES, granuleIn, lastGranule, PAGE_BYTES, pageOf } from './pages.ts';
import { piecesOf, type SharedGranules } from './shared-granules.ts';
import type { SiteRows } from './site-rows.ts';
import { type StridedRun, spanOf, uniformStarts } from './strided-run.ts';
import type { SyncEvents } from './sync-events.ts';

const { DH_READ, DH_WRITE } = AccessFlag;

export interface EventMakerOptions {
  readonly writer: ThreadTraceBuilder;
  readonly lifetimes: Lifetimes;
  readonly granules: SharedGranules;
  /** By generation: 1 if anything in it is shared. */
  readonly isShared: Uint8Array;
  readonly sites: SiteRows;
  readonly sync: SyncEvents;
  /** The row of the process's first thread: the others follow. */
  readonly firstThread: number;
}

/** In the place of a shared granule's number, one more: not looked for yet, and none. */
const UNKNOWN = 0;
const PRIVATE = 0xffff_ffff;

export class EventMaker implements LogVisitor {
  readonly takesParts = true;
  part: number = Part.all;
  readonly #writer: ThreadTraceBuilder;
  readonly #lifetimes: Lifetimes;
  readonly #granules: SharedGranules;
  readonly #isShared: Uint8Array;
  readonly #sites: SiteRows;
  readonly #sync: SyncEvents;
  readonly #firstThread: number;
  readonly #alive: LivingMemory;
  /** By page with shared granules, for each of its granules: which one of these it is now, plus one. */
  readonly #now: Uint32Array[];
  /** By shared granule: its first variable, plus one; 0 as long as it has none. */
  readonly #variables: Uint32Array;
  /** Counts segments that are told. */
  #segment = 0;
  /** By shared granule: the last segment that was told to access it, and which of its bytes. */
  readonly #toldIn: Uint32Array;
  readonly #read: Uint8Array;
  readonly #written: Uint8Array;
  /** By generation: the allocation's row, plus one. */
  readonly #allocations: Uint32Array;

  constructor(options: EventMakerOptions) {
    this.#writer = options.writer;
    this.#lifetimes = options.lifetimes;
    this.#granules = options.granules;
    this.#isShared = options.isShared;
    this.#sites = options.sites;
    this.#sync = options.sync;
    this.#firstThread = options.firstThread;
    this.#alive = new LivingMemory(options.lifetimes);
    this.#now = Array.from(
      { length: options.granules.pages.count },
      () => new Uint32Array(GRANULES),
    );
    this.#variables = new Uint32Array(options.granules.count);
    this.#toldIn = new Uint32Array(options.granules.count);
    this.#read = new Uint8Array(options.granules.count);
    this.#written = new Uint8Array(options.granules.count);
    this.#allocations = new Uint32Array(options.lifetimes.count + 1);
  }

  segmentBegins(): void {
    this.#segment++;
  }

  operation(thread: number, log: AgentLog): void {
    switch (log.kind) {
      case LogKind.DH_LOG_SYNC:
        this.#sync.operation(this.#firstThread + thread, log);
        if (isFinishedOnce(log)) this.#atomic(thread, log.object, GUARD_BYTES, DH_WRITE, NONE);
        return;
      case LogKind.DH_LOG_ATOMIC:
        this.#atomic(thread, log.address, log.small, log.op, this.#sites.ofSite(log.site));
        return;
      case LogKind.DH_LOG_MEMORY:
        this.#free(thread, log);
    }
  }

  allocation(generation: number): void {
    const { addresses, sizes, threads, callers } = this.#lifetimes;
    const [address, size] = [addresses[generation]!, sizes[generation]!];
    this.#alive.allocate(generation);
    this.#renew(address, size);
    if (!this.#isShared[generation]) return;
    const row = this.#writer.tables.allocations.add({ address, size });
    this.#allocations[generation] = row + 1;
    const thread = this.#firstThread + threads[generation]!;
    this.#writer.append(thread, Op.allocate, row, this.#sites.ofCaller(callers[generation]!));
  }

  access(thread: number, address: number, size: number, flags: number, site: number): void {
    const end = address + size;
    for (let at = address; at < end; ) {
      const from = at & 7;
      const to = Math.min(8, from + end - at);
      const granule = this.#granuleAt(at);
      if (granule !== NONE) {
        const bytes = (0xff >>> (8 - to)) & (0xff << from);
        this.#tell(thread, granule, bytes, flags, this.#sites.ofSite(site));
      }
      at += to - from;
    }
  }

  run(thread: number, run: StridedRun, flags: number, site: number): void {
    const { address, stride, count, size } = run;
    if (uniformStarts(run) !== undefined) {
      this.range(thread, address, spanOf(run), flags, site, 0);
      return;
    }
    for (let i = 0; i < count; i++) this.access(thread, address + i * stride, size, flags, site);
  }

  endByOthers(): number {
    return Number.POSITIVE_INFINITY;
  }

  sizeAt(site: number): number {
    return this.#sites.sizeOf(site);
  }

  /** Only over pages that have anything shared. */
  range(
    thread: number,
    address: number,
    length: number,
    flags: number,
    site: number,
    caller: number,
  ): void {
    const pages = this.#granules.pages;
    const end = address + length;
    const found: number[] = [];
    pages.forEachIn(pageOf(address), pageOf(end - 1), (page) => found.push(page));
    if (found.length === 0) return;
    const place = caller === 0 ? this.#sites.ofSite(site) : this.#sites.ofCaller(caller);
    for (const page of found.sort((a, b) => a - b)) {
      const last = lastGranule(page, address, length);
      for (let i = firstGranule(page, address); i <= last; i++) {
        const at = page * PAGE_BYTES + 8 * i;
        const granule = this.#granuleAt(at);
        if (granule === NONE) continue;
        const from = Math.max(0, address - at);
        const to = Math.min(8, end - at);
        this.#tell(thread, granule, (0xff >>> (8 - to)) & (0xff << from), flags, place);
      }
    }
  }

  /** The shared granule that is there now, or NONE. */
  #granuleAt(address: number): number {
    const page = this.#granules.pages.find(pageOf(address));
    if (page < 0) return NONE;
    const now = this.#now[page]!;
    const place = granuleIn(address);
    if (now[place] === UNKNOWN) {
      const first = address - (address & 7);
      const found = this.#granules.find(first, this.#alive.at(address));
      now[place] = found < 0 ? PRIVATE : found + 1;
    }
    return now[place] === PRIVATE ? NONE : now[place]! - 1;
  }

  #tell(thread: number, granule: number, bytes: number, flags: number, site: number): void {
    const { shared, splits, atomic } = this.#granules;
    const wanted = flags & WANTED[this.part]!;
    const touched = this.#news(granule, bytes & shared.items[granule]!, wanted);
    if (touched === 0 || wanted === 0) return;
    const row = this.#firstThread + thread;
    const pieces = piecesOf(shared.items[granule]!, splits.items[granule]!);
    const first = this.#variablesOf(granule, pieces);
    for (let i = 0; i < pieces.length; i++) {
      if ((pieces[i]! & touched) === 0) continue;
      const isAtomic = (pieces[i]! & atomic.items[granule]!) !== 0;
      if (this.part !== Part.all && isAtomic === (this.part === Part.plain)) continue;
      if (wanted & DH_READ) {
        this.#writer.append(row, isAtomic ? Op.atomicRead : Op.read, first + i, site);
      }
      if (wanted & DH_WRITE) {
        this.#writer.append(row, isAtomic ? Op.atomicWrite : Op.write, first + i, site);
      }
    }
  }

  /**
   * Which of the bytes this segment has not accessed in that way yet: once is enough, and after a write a read
   * is no news (the agent goes by the same rule, but may forget).
   */
  #news(granule: number, bytes: number, flags: number): number {
    if (this.#toldIn[granule] !== this.#segment) {
      this.#toldIn[granule] = this.#segment;
      this.#read[granule] = this.#written[granule] = 0;
    }
    const written = this.#written[granule]!;
    const news = bytes & ~(flags & DH_WRITE ? written : written | this.#read[granule]!);
    if (flags & DH_WRITE) this.#written[granule]! |= bytes;
    if (flags & DH_READ) this.#read[granule]! |= bytes;
    return news;
  }

  #atomic(thread: number, address: number, size: number, flags: number, site: number): void {
    const op = ATOMIC_OPS[flags & (DH_READ | DH_WRITE)]!;
    const end = address + size;
    for (let at = address; at < end; ) {
      const from = at & 7;
      const to = Math.min(8, from + end - at);
      const granule = this.#granuleAt(at);
      at += to - from;
      if (granule === NONE) continue;
      const bytes = (0xff >>> (8 - to)) & (0xff << from);
      const pieces = piecesOf(
        this.#granules.shared.items[granule]!,
        this.#granules.splits.items[granule]!,
      );
      const first = this.#variablesOf(granule, pieces);
      for (const [i, piece] of pieces.entries()) {
        if ((piece & bytes) !== 0)
          this.#writer.append(this.#firstThread + thread, op, first + i, site);
      }
    }
  }

  #free(thread: number, log: AgentLog): void {
    const { address } = log;
    const size = Math.max(1, log.length);
    const row = this.#allocations[this.#generationAt(address)] ?? 0;
    if (row !== 0) {
      const site = this.#sites.ofCaller(log.caller);
      this.#writer.append(this.#firstThread + thread, Op.free, row - 1, site);
    }
    this.#alive.free(address, size);
    this.#renew(address, size);
  }

  /** The allocation that begins at this address, if it is still there. */
  #generationAt(address: number): number {
    const generation = this.#alive.at(address);
    const isWhole = this.#alive.isAllocated(generation);
    return isWhole && this.#lifetimes.addresses[generation] === address ? generation : 0;
  }

  #renew(address: number, size: number): void {
    this.#sync.forgetLocks(address, size);
    this.#granules.pages.forEachIn(pageOf(address), pageOf(address + size - 1), (page, number) => {
      const end = lastGranule(page, address, size) + 1;
      this.#now[number]!.fill(UNKNOWN, firstGranule(page, address), end);
    });
  }

  /** The first variable of a granule; the others follow. */
  #variablesOf(granule: number, pieces: readonly number[]): number {
    const known = this.#variables[granule]!;
    if (known !== 0) return known - 1;
    const { variables } = this.#writer.tables;
    const generation = this.#granules.generations.items[granule]!;
    const allocation = (this.#allocations[generation] ?? 0) - 1;
    const start = this.#granules.addresses.items[granule]!;
    const first = variables.count;
    for (const piece of pieces) {
      const from = 31 - Math.clz32(piece & -piece);
      const address = start + from;
      const size = 32 - Math.clz32(piece) - from;
      const symbol = generation === 0 ? this.#sites.dataAt(address) : '';
      variables.add({ address, size, allocation: allocation < 0 ? NONE : allocation, symbol });
    }
    this.#variables[granule] = first + 1;
    return first;
  }
}

/** What is told of accesses in each part of a segment. */
const WANTED: Readonly<Record<number, number>> = {
  [Part.all]: DH_READ | DH_WRITE,
  [Part.atomicReads]: DH_READ,
  [Part.plain]: DH_READ | DH_WRITE,
  [Part.atomicWrites]: DH_WRITE,
};

const ATOMIC_OPS: readonly number[] = [
  Op.atomicRead,
  Op.atomicRead,
  Op.atomicWrite,
  Op.atomicUpdate,
];
