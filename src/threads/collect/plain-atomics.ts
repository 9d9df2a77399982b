/**
 * Plain accesses to memory that others touch with atomic instructions. On x86 an atomic load, and most atomic
 * stores, look like any other; so where there is an atomic operation at all, such an access is taken for an
 * atomic one, too (docs/atomics.md). Unlike an atomic instruction it has no number: only its segment is known.
 * Here is which segments have such reads and writes, and when somebody else wrote what they read.
 */
import type { AgentLog } from '../../linux/agent-log.ts';
import { AccessFlag, LogKind } from '../../linux/agent-protocol.ts';
import { GUARD_BYTES, isFinishedOnce } from './finished-once.ts';
import { endsSegment, type FirstLook, type ThreadLook } from './first-look.ts';
import { firstAbove, GrowingFloats, GrowingWords } from './growing.ts';
import { runOf, runTouches, spanOf } from './strided-run.ts';

class Writes {
  readonly keys = new GrowingFloats();
  readonly threads = new GrowingWords();
  #isSorted = false;

  add(key: number, thread: number): void {
    this.keys.push(key);
    this.threads.push(thread);
    this.#isSorted = false;
  }

  /** The last one of another thread's, after `from` and before `until`; `from` if there is none. */
  lastOfOthers(thread: number, from: number, until: number): number {
    if (!this.#isSorted) this.#sort();
    const keys = this.keys.items;
    let at = firstAbove(keys, this.keys.length, until) - 1;
    for (; at >= 0 && keys[at]! > from; at--) {
      if (this.threads.items[at] !== thread && keys[at] !== until) return keys[at]!;
    }
    return from;
  }

  #sort(): void {
    const [keys, threads] = [this.keys.items.slice(), this.threads.items.slice()];
    const order = Uint32Array.from({ length: this.keys.length }, (_, i) => i);
    order.sort((a, b) => keys[a]! - keys[b]!);
    for (const [to, from] of order.entries()) {
      this.keys.items[to] = keys[from]!;
      this.threads.items[to] = threads[from]!;
    }
    this.#isSorted = true;
  }
}

export class PlainAtomics {
  readonly #look: FirstLook;
  /** By thread: what plain accesses to atomic memory each segment has, as AccessFlags. */
  readonly #flags: Uint8Array[];
  /** By thread: segment and granule of each such read; segments in order. */
  readonly #readSegments: GrowingFloats[];
  readonly #readGranules: GrowingFloats[];
  /** By granule: all writes, with and without a number. */
  readonly #writes = new Map<number, Writes>();

  constructor(look: FirstLook) {
    this.#look = look;
    const { threads, atomics } = look;
    this.#flags = threads.map(({ keys }) => new Uint8Array(atomics.count ? keys.length + 1 : 0));
    this.#readSegments = threads.map(() => new GrowingFloats());
    this.#readGranules = threads.map(() => new GrowingFloats());
    if (atomics.count === 0) return;
    for (const [place, thread] of threads.entries()) this.#read(thread, place);
  }

  /** Whether a segment has any. */
  isIn(thread: number, segment: number): boolean {
    return (this.#flags[thread]![segment] ?? 0) !== 0;
  }

  /** When others last wrote what the segment reads, between the two times; `from` if nobody did. */
  lastWriteByOthers(thread: number, segment: number, from: number, until: number): number {
    if (((this.#flags[thread]![segment] ?? 0) & AccessFlag.DH_READ) === 0) return from;
    const segments = this.#readSegments[thread]!;
    let latest = from;
    let at = firstAbove(segments.items, segments.length, segment - 1);
    for (; at < segments.length && segments.items[at] === segment; at++) {
      const writes = this.#writes.get(this.#readGranules[thread]!.items[at]!);
      if (writes) latest = Math.max(latest, writes.lastOfOthers(thread, from, until));
    }
    return latest;
  }

  #read({ file, keys, endsEpoch }: ThreadLook, place: number): void {
    const log = file.read();
    const { atomics, earlier } = this.#look;
    let segment = 0;
    let epoch = 0;
    const endSegment = (): void => {
      earlier.forEach(place, epoch, (one) => {
        const address = earlier.addresses.items[one]!;
        if (atomics.has(address)) this.#note(place, segment, address, earlier.flags.items[one]!);
      });
    };
    while (log.next() && segment <= keys.length) {
      if (!endsSegment(log)) {
        for (const granule of this.#touched(log)) this.#note(place, segment, granule, log.op);
        continue;
      }
      for (const granule of this.#writtenBy(log)) {
        this.#writesTo(granule).add(keys.items[segment] ?? 0, place);
      }
      if (endsEpoch.items[segment]) {
        endSegment();
        epoch++;
      }
      segment++;
    }
    if (segment <= keys.length) endSegment();
  }

  /** Those that an operation writes. */
  #writtenBy(log: AgentLog): Iterable<number> {
    const { atomics } = this.#look;
    if (log.kind === LogKind.DH_LOG_ATOMIC && (log.op & AccessFlag.DH_WRITE) !== 0) {
      return atomics.within(log.address, Math.max(1, log.small));
    }
    return isFinishedOnce(log) ? atomics.within(log.object, GUARD_BYTES) : NOTHING;
  }

  /** Atomic granules among what a plain access touches. */
  #touched(log: AgentLog): Iterable<number> {
    const { atomics } = this.#look;
    switch (log.kind) {
      case LogKind.DH_LOG_ACCESS: {
        const { address, small } = log;
        const isSmall = (address & 7) + small <= 8;
        if (isSmall && !atomics.has(address)) return NOTHING;
        return atomics.within(address, Math.max(1, small));
      }
      case LogKind.DH_LOG_RANGE:
        return atomics.within(log.address, log.length);
      case LogKind.DH_LOG_RUN: {
        const run = runOf(log);
        const near = [...atomics.within(run.address, spanOf(run))];
        return near.filter((granule) => runTouches(run, granule, granule + 8));
      }
      default:
        return NOTHING;
    }
  }

  #note(thread: number, segment: number, address: number, flags: number): void {
    const granule = address - (address & 7);
    this.#flags[thread]![segment]! |= flags & (AccessFlag.DH_READ | AccessFlag.DH_WRITE);
    if (flags & AccessFlag.DH_READ) {
      this.#readSegments[thread]!.push(segment);
      this.#readGranules[thread]!.push(granule);
    }
    if (flags & AccessFlag.DH_WRITE) {
      this.#writesTo(granule).add(this.#look.threads[thread]!.startOf(segment), thread);
    }
  }

  #writesTo(granule: number): Writes {
    const writes = this.#writes.get(granule) ?? new Writes();
    this.#writes.set(granule, writes);
    return writes;
  }
}

const NOTHING: readonly number[] = [];
