/**
 * The second walk over the logs of a process, in the order of time: for each access to a granule that matters,
 * which generation of it (the block that was there then), what locks were held, and what it is ordered with.
 */

import { RSP } from '../../binary/code/general-registers.ts';
import { LogOp, SampledKind, SamplingNumbers } from '../../linux/agent-protocol.ts';
import type { SamplingLog } from '../collect/sampling-log.ts';
import type { KnownTimes } from './logs/known-times.ts';
import { Locksets, NO_LOCKS } from './logs/locksets.ts';
import { MergedLogs } from './logs/merged-logs.ts';
import type { SampleReader, ThreadBases } from './logs/sample-reader.ts';
import { ThreadOrder } from './logs/thread-order.ts';
import { progressOver } from './logs/told-progress.ts';
import { AccessFlag, AccessTable, Contexts } from './memory/access-table.ts';
import { BlockHistory, UNCERTAIN } from './memory/block-history.ts';
import { GranuleIndex } from './memory/granule-index.ts';
import { GRANULE } from './memory/granule-table.ts';
import { LockWords } from './memory/lock-words.ts';
import type { SampledProcess } from './sampled-process.ts';

/** Below the stack pointer, which leaf functions use; and above it, where bounds are not known. */
const RED_ZONE = 128;
const NEAR_STACK = 65536;
const ALL_BYTES = 0xff;
/** In place of a block's size. */
const FREED = -1;

export interface SecondPass {
  readonly accesses: AccessTable;
  readonly contexts: Contexts;
  readonly locksets: Locksets;
  readonly order: ThreadOrder;
  readonly history: BlockHistory;
  readonly lockWords: LockWords;
  /** By site: the return addresses of a sample that has them, innermost first. */
  readonly callers: ReadonlyMap<number, readonly number[]>;
  /** In order: the numbers of the granules that were looked at. */
  readonly granules: Float64Array;
  /** Accesses that were left out, since nobody knows what was missed, or which block it was. */
  readonly unknownTimes: number;
  readonly unknownBlocks: number;
}

export function secondPass(
  process: SampledProcess,
  reader: SampleReader,
  times: KnownTimes,
  granules: Float64Array,
): SecondPass {
  return new Walk(process, reader, times, granules).run();
}

interface WalkedThread extends ThreadBases {
  stackStart: number;
  stackEnd: number;
  isAlive: boolean;
  /** Locks that it has taken, as its last sample says, and the time of the first that says so. */
  taken: number;
  quietSince: number;
}

class Walk {
  readonly #logs: readonly SamplingLog[];
  readonly #reader: SampleReader;
  readonly #threads: WalkedThread[];
  readonly #index: GranuleIndex;
  readonly #window: (time: number) => number | undefined;
  readonly #granules: Float64Array;
  readonly #accesses = new AccessTable();
  readonly #contexts = new Contexts();
  readonly #locksets = new Locksets();
  readonly #order: ThreadOrder;
  readonly #history: BlockHistory;
  readonly #lockWords: LockWords;
  readonly #callers = new Map<number, readonly number[]>();
  readonly #blockAddresses = new Float64Array(SamplingNumbers.DH_BLOCKS_MAX);
  readonly #blockSizes = new Float64Array(SamplingNumbers.DH_BLOCKS_MAX);
  #alive = 0;
  #started = 0;
  #unknownTimes = 0;
  #unknownBlocks = 0;
  #samples = 0;

  constructor(
    process: SampledProcess,
    reader: SampleReader,
    times: KnownTimes,
    granules: Float64Array,
  ) {
    this.#logs = process.logs.map((file) => file.read());
    this.#reader = reader;
    this.#threads = this.#logs.map(() => ({
      ...{ fsBase: 0, gsBase: 0, stackStart: 0, stackEnd: 0, isAlive: false },
      ...{ taken: 0, quietSince: Number.NEGATIVE_INFINITY },
    }));
    this.#granules = granules;
    this.#index = new GranuleIndex(granules);
    this.#window = times.cursor();
    this.#order = new ThreadOrder(this.#logs.length);
    this.#history = new BlockHistory(granules);
    this.#lockWords = new LockWords(this.#locksets, this.#index, this.#history);
  }

  run(): SecondPass {
    const merged = new MergedLogs(this.#logs);
    const tell = progressOver('kB of samples put in order', this.#logs);
    for (let thread = merged.first(); thread !== undefined; thread = merged.first()) {
      tell();
      const log = this.#logs[thread]!;
      if (log.kind === SampledKind.DH_SAMPLED_MEMORY) this.#memory(log, thread, merged);
      else {
        this.#record(log, thread);
        merged.advance(thread);
      }
      merged.settle();
    }
    return {
      accesses: this.#accesses,
      contexts: this.#contexts,
      locksets: this.#locksets,
      order: this.#order,
      history: this.#history,
      lockWords: this.#lockWords,
      callers: this.#callers,
      granules: this.#granules,
      unknownTimes: this.#unknownTimes,
      unknownBlocks: this.#unknownBlocks,
    };
  }

  #record(log: SamplingLog, thread: number): void {
    const state = this.#threads[thread]!;
    switch (log.kind) {
      case SampledKind.DH_SAMPLED_ACCESS:
        this.#sample(log, thread, state);
        return;
      case SampledKind.DH_SAMPLED_SYNC:
        this.#order.operation(thread, log.header.thread, log.op, log.object, log.extra);
        this.#live(state, log.op !== LogOp.DH_OP_END);
        this.#noteStarted(log.op === LogOp.DH_OP_FORK ? log.extra : log.header.thread);
        return;
      case SampledKind.DH_SAMPLED_BASE:
        state.fsBase = log.fsBase;
        state.gsBase = log.gsBase;
        state.stackStart = log.stackStart;
        state.stackEnd = log.stackEnd;
        return;
      default:
        return;
    }
  }

  #live(state: WalkedThread, isAlive: boolean): void {
    if (state.isAlive === isAlive) return;
    state.isAlive = isAlive;
    this.#alive += isAlive ? 1 : -1;
  }

  #noteStarted(number: number): void {
    this.#started = Math.max(this.#started, number);
  }

  /** What is told together lies between the time of the first and that of the thread's next record. */
  #memory(log: SamplingLog, thread: number, merged: MergedLogs): void {
    const from = log.time;
    const count = log.blocks;
    const [addresses, sizes] = [this.#blockAddresses, this.#blockSizes];
    for (let i = 0; i < count; i++) {
      addresses[i] = log.blockAddress(i);
      sizes[i] = log.isFreed(i) ? FREED : log.blockSize(i);
    }
    const to = Math.max(from, merged.advance(thread));
    for (let i = 0; i < count; i++) {
      if (sizes[i] === FREED) this.#history.freed(addresses[i]!, from, to, thread);
      else this.#history.allocated(addresses[i]!, sizes[i]!, from, to, thread);
    }
  }

  #noteCallers(site: number, log: SamplingLog): void {
    const count = log.stackWords;
    if (count === 0 || this.#callers.has(site)) return;
    this.#callers.set(
      site,
      Array.from({ length: count }, (_, index) => log.returnAddress(index)),
    );
  }

  #sample(log: SamplingLog, thread: number, state: WalkedThread): void {
    this.#live(state, true);
    this.#noteStarted(log.header.thread);
    if (log.taken !== state.taken) {
      state.taken = log.taken;
      state.quietSince = log.time;
    }
    const reader = this.#reader;
    const count = reader.read(log, state);
    if (count === 0) return;
    const sample = this.#samples++;
    const { time } = log;
    const window = this.#window(time);
    const lockset = this.#locksets.ofSample(log);
    if (lockset !== NO_LOCKS && window !== undefined)
      this.#lockWords.note(lockset, time, thread, window);
    const stack = log.register(RSP);
    const stackStart = state.stackEnd > 0 ? state.stackStart : stack - RED_ZONE;
    const stackEnd = state.stackEnd > 0 ? state.stackEnd : stack + NEAR_STACK;
    let [context, segment] = [-1, -1];
    for (let i = 0; i < count; i++) {
      const address = reader.addresses[i]!;
      const end = address + reader.sizes[i]!;
      const first = Math.floor(address / GRANULE);
      const last = Math.floor((end - 1) / GRANULE);
      let flags = this.#alive > 1 ? AccessFlag.amongOthers : 0;
      if (this.#order.hasMet(thread)) flags |= AccessFlag.afterMeeting;
      if (address >= stackStart && address < stackEnd) flags |= AccessFlag.ownStack;
      if (i >= reader.planned) flags |= AccessFlag.followed;
      for (let granule = first; granule <= last; granule++) {
        const place = this.#index.find(granule);
        if (place < 0) continue;
        if (window === undefined) {
          this.#unknownTimes++;
          continue;
        }
        const generation = this.#history.generationAt(place, time, thread, window);
        if (generation === UNCERTAIN) {
          this.#unknownBlocks++;
          continue;
        }
        if (context < 0) {
          context = this.#contexts.numberOf(thread, lockset);
          segment = this.#order.segmentOf(thread);
        }
        const start = Math.max(0, address - granule * GRANULE);
        const stop = Math.min(GRANULE, end - granule * GRANULE);
        const mask = (ALL_BYTES >> (GRANULE - (stop - start))) << start;
        const site = reader.sites[i]!;
        const all = granule === first ? flags : flags | AccessFlag.continued;
        this.#accesses.add(
          ...([generation, mask, site, context, segment, time, all, this.#started] as const),
          ...([state.quietSince, sample] as const),
        );
        this.#noteCallers(site, log);
      }
    }
  }
}
