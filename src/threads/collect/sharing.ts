/** The first time through the logs: finds out what is shared. */
import type { AgentLog } from '../../linux/agent-log.ts';
import { AccessFlag, LogKind } from '../../linux/agent-protocol.ts';
import { GUARD_BYTES, isFinishedOnce } from './finished-once.ts';
import type { Lifetimes } from './lifetimes.ts';
import { LivingMemory } from './living-memory.ts';
import { type LogVisitor, Part } from './merged-logs.ts';
import { SharedGranules } from './shared-granules.ts';
import { type StridedRun, spanOf, uniformStarts } from './strided-run.ts';
import { TouchedPages } from './touched-pages.ts';

export class Sharing implements LogVisitor {
  readonly takesParts = false;
  part: number = Part.all;
  readonly granules = new SharedGranules();
  /** By generation: 1 if anything in it is shared. */
  readonly isShared: Uint8Array;
  readonly #lifetimes: Lifetimes;
  readonly #alive: LivingMemory;
  readonly #touched = new TouchedPages();
  readonly #sizeAt: (site: number) => number;

  constructor(lifetimes: Lifetimes, sizeAt: (site: number) => number) {
    this.#lifetimes = lifetimes;
    this.#alive = new LivingMemory(lifetimes);
    this.#sizeAt = sizeAt;
    this.isShared = new Uint8Array(lifetimes.count + 1);
  }

  /** Nothing more comes. */
  close(): SharedGranules {
    this.#touched.forgetAll(this.#tell);
    return this.granules;
  }

  segmentBegins(): void {}

  operation(thread: number, log: AgentLog): void {
    if (log.kind === LogKind.DH_LOG_MEMORY) {
      const size = Math.max(1, log.length);
      this.#touched.forget(log.address, size, this.#tell);
      this.#alive.free(log.address, size);
    } else if (log.kind === LogKind.DH_LOG_ATOMIC) {
      this.#touch(thread, log.address, log.small, log.op, true);
    } else if (isFinishedOnce(log)) {
      this.#touch(thread, log.object, GUARD_BYTES, AccessFlag.DH_WRITE, true);
    }
  }

  allocation(generation: number): void {
    const { addresses, sizes } = this.#lifetimes;
    this.#touched.forget(addresses[generation]!, sizes[generation]!, this.#tell);
    this.#alive.allocate(generation);
  }

  access(thread: number, address: number, size: number, flags: number): void {
    this.#touch(thread, address, size, flags, false);
  }

  run(thread: number, run: StridedRun, flags: number): void {
    const starts = uniformStarts(run);
    if (starts !== undefined) {
      this.#touched.touchRange(thread, run.address, spanOf(run), starts, flags);
      return;
    }
    const { address, stride, count, size } = run;
    for (let i = 0; i < count; i++) this.#touch(thread, address + i * stride, size, flags, false);
  }

  range(thread: number, address: number, length: number, flags: number): void {
    this.#touched.touchRange(thread, address, length, 0, flags);
  }

  endByOthers(thread: number, address: number, length: number): number {
    return this.#alive.endByOthers(thread, address, length);
  }

  sizeAt(site: number): number {
    return this.#sizeAt(site);
  }

  #touch(thread: number, address: number, size: number, flags: number, isAtomic: boolean): void {
    const end = address + size;
    for (let at = address; at < end; ) {
      const from = at & 7;
      const to = Math.min(8, from + end - at);
      const bytes = (0xff >>> (8 - to)) & (0xff << from);
      this.#touched.touch(thread, at, bytes, (1 << from) | (1 << to), flags & BOTH, isAtomic);
      at += to - from;
    }
  }

  readonly #tell = (address: number, shared: number, splits: number, atomic: number): void => {
    const generation = this.#alive.at(address);
    if (this.#alive.isAllocated(generation)) this.isShared[generation] = 1;
    this.granules.add(address, generation, shared, splits, atomic);
  };
}

const BOTH = AccessFlag.DH_READ | AccessFlag.DH_WRITE;
