/**
 * A program of a few threads that does what a list of steps says, as far as that makes sense: it leaves logs
 * like the agent's, and knows what the trace has to be.
 *
 * Steps are numbers, so that fast-check can make a failing list shorter. Time is one step after the other;
 * all memory is in four places:
 *
 *   ARENA    static variables
 *   ATOMICS  static variables, of which some are touched by atomic instructions
 *   HEAP     slots that are allocated and freed
 *   LOCKS    mutexes
 *
 * What a log cannot tell is left out: a thread touches a block only if it has allocated it since its last
 * operation, or the block was there at that operation. (Another may free it meanwhile; it then is not allocated
 * by that thread before its next operation.)
 */
import { AccessFlag, LockBits, LogOp } from '../../../linux/agent-protocol.ts';
import { WrittenLog } from './written-log.ts';

export const THREADS = 3;
export const ARENA = 0x1_0000;
export const ATOMICS = 0x2_0000;
export const HEAP = 0x3_0f90;
export const LOCKS = 0x4_0000;
const SLOTS = 3;
/** Slots overlap: 0 and 1 lie in 2. */
const SLOT_STARTS = [HEAP, HEAP + 64, HEAP] as const;
const SLOT_SIZES = [40, 56, 200] as const;
/** A site says which size it accesses, and whether it is an atomic instruction. */
export const SIZES = [1, 2, 4, 8, 16];
export const ATOMIC_SITE = 100;

export interface Step {
  readonly thread: number;
  readonly action: number;
  readonly where: number;
  readonly how: number;
}

export interface TrueAccess {
  readonly address: number;
  readonly size: number;
  readonly flags: number;
  /** 0: static memory. */
  readonly generation: number;
}

/** What a thread did, one after the other: an operation, and what came after it until the next. */
export interface TrueSegment {
  readonly seq: number;
  readonly op: 'start' | 'sync' | 'atomic' | 'free';
  readonly logOp: number;
  readonly object: number;
  readonly extra: number;
  /** Of an atomic operation, or a block that is freed. */
  readonly access: TrueAccess | undefined;
  readonly accesses: TrueAccess[];
}

export interface Block {
  readonly generation: number;
  readonly address: number;
  readonly size: number;
  readonly thread: number;
  readonly slot: number;
  /** When it was allocated: the number of the next operation. */
  readonly seq: number;
}

/** Reads, writes and both, of four bytes each. */
const FOUR_BYTES = [12, 7, 2] as const;

interface Untold {
  readonly thread: number;
  readonly epoch: number;
  readonly access: TrueAccess;
  readonly site: number;
}

export class RandomProgram {
  readonly logs = Array.from({ length: THREADS }, (_, i) => new WrittenLog(1, i + 1, `t${i}`));
  readonly segments: TrueSegment[][] = this.logs.map(() => []);
  readonly blocks: Block[] = [];
  #seq = 1;
  readonly #epochs = this.logs.map(() => 0);
  /** Number of the operation that began the thread's segment. */
  readonly #starts = this.logs.map(() => 0);
  readonly #holders = new Map<number, number>();
  readonly #slots: (Block | undefined)[] = [];
  /** Allocations that the log will tell of later, by thread. */
  readonly #keptBack: Block[][] = this.logs.map(() => []);
  #untold: Untold[] = [];
  readonly #wereUntold = new Set<TrueAccess>();

  constructor(steps: readonly Step[]) {
    for (const thread of this.logs.keys()) {
      this.segments[thread]!.push(segment('start', 0));
      if (thread > 0) this.#sync(0, LogOp.DH_OP_FORK, 0, thread + 1);
      this.#sync(thread, LogOp.DH_OP_BEGIN, 0x7000 + thread, thread > 0 ? 1 : 0);
    }
    for (const step of steps) this.#take(step);
    for (const thread of this.logs.keys()) {
      for (const block of this.#keptBack[thread]!) this.#logAllocation(block);
      this.#tellEarlier(thread);
      for (const [lock, holder] of this.#holders) {
        if (holder === thread) this.#lockOrUnlock(thread, lock);
      }
      if (thread > 0) this.#sync(thread, LogOp.DH_OP_END, 0x7000 + thread);
    }
  }

  #take({ thread, action, where, how }: Step): void {
    switch (action) {
      case 0:
      case 1:
        this.#plainAccess(thread, ARENA + (where % 40), how, false);
        return;
      case 2:
        this.#plainAccess(
          thread,
          ATOMICS + 8 * (where % 3) + (how % 2) * 4,
          FOUR_BYTES[how % 3]!,
          false,
        );
        return;
      case 3:
        this.#atomic(thread, ATOMICS + 8 * (where % 2), 1 + (how % 3));
        return;
      case 4:
        this.#lockOrUnlock(thread, LOCKS + 40 * (where % 2));
        return;
      case 5:
        this.#allocate(thread, where % SLOTS, how);
        return;
      case 6:
        this.#free(thread, where % SLOTS);
        return;
      case 7:
      case 8:
        this.#accessBlock(thread, where % SLOTS, how);
        return;
      case 9:
        this.#many(thread, where, how);
        return;
      case 10:
        this.#plainAccess(thread, ARENA + 8 * (where % 8), how, true);
        return;
      case 11:
        this.#tellEarlier(thread);
        return;
      default:
        this.#sync(thread, LogOp.DH_OP_SIGNAL, LOCKS + 200);
    }
  }

  #plainAccess(thread: number, address: number, how: number, isUntold: boolean): void {
    const site = how % SIZES.length;
    const access = { address, size: SIZES[site]!, flags: 1 + (how % 3), generation: 0 };
    if (isUntold && (address & 7) + access.size <= 8 && access.flags !== 3) {
      this.#untold.push({ thread, epoch: this.#epochs[thread]!, access, site });
      this.#wereUntold.add(access);
      this.#lastOf(thread).accesses.push(access);
    } else {
      this.#logAccess(thread, access, site);
    }
  }

  #logAccess(thread: number, access: TrueAccess, site: number): void {
    this.logs[thread]!.access(access.address, access.size, access.flags, site);
    this.#lastOf(thread).accesses.push(access);
  }

  #accessBlock(thread: number, slot: number, how: number): void {
    const block = this.#slots[slot];
    if (!block) return;
    const isOwn = block.thread === thread && block.seq > this.#starts[thread]!;
    if (!isOwn && block.seq > this.#starts[thread]!) return;
    const site = how % (SIZES.length - 1);
    const room = block.size - SIZES[site]! + 1;
    const address = block.address + ((how * 7) % room);
    const { generation } = block;
    this.#logAccess(
      thread,
      { address, size: SIZES[site]!, flags: 1 + (how % 3), generation },
      site,
    );
  }

  /** Ranges, and runs with and without gaps, forwards and backwards. */
  #many(thread: number, where: number, how: number): void {
    const address = ARENA + (where % 24);
    const flags = 1 + (how % 2);
    const log = this.logs[thread]!;
    const { accesses } = this.#lastOf(thread);
    if (how % 3 === 0) {
      const length = 1 + ((where * 5 + how) % 40);
      log.range(address, length, flags, 0x9000);
      accesses.push({ address, size: length, flags, generation: 0 });
      return;
    }
    const size = SIZES[(where + how) % 4]!;
    const stride = how % 3 === 1 ? size : ((where % 5) + 1) * 3;
    const count = 1 + ((where + how) % 5);
    const isBackwards = how % 4 === 3;
    const start = isBackwards ? address + (count - 1) * stride : address;
    log.run(start, isBackwards ? -stride : stride, count, size, flags, 3);
    for (let i = 0; i < count; i++) {
      accesses.push({ address: address + i * stride, size, flags, generation: 0 });
    }
  }

  #atomic(thread: number, address: number, flags: number): void {
    const access = { address, size: 4, flags, generation: 0 };
    const seq = this.#seq++;
    this.logs[thread]!.atomic(seq, address, 4, flags, ATOMIC_SITE);
    this.#epochs[thread]!++;
    this.#begin(thread, { ...segment('atomic', seq), access });
  }

  #lockOrUnlock(thread: number, lock: number): void {
    const holder = this.#holders.get(lock);
    if (holder === undefined) {
      this.#holders.set(lock, thread);
      this.#sync(thread, LogOp.DH_OP_ACQUIRE, lock, LockBits.DH_LOCK_MUTEX);
    } else if (holder === thread) {
      this.#holders.delete(lock);
      this.#sync(thread, LogOp.DH_OP_RELEASE, lock, LockBits.DH_LOCK_MUTEX);
    }
  }

  #allocate(thread: number, slot: number, how: number): void {
    const isTaken = slot === 2 ? this.#slots.some((block) => block) : this.#slots[2];
    if (isTaken || this.#slots[slot]) return;
    const [address, size] = [SLOT_STARTS[slot]!, SLOT_SIZES[slot]!];
    if (this.#hasTouched(thread, address, size)) return;
    const generation = this.blocks.length + 1;
    const block = { generation, address, size, thread, slot, seq: this.#seq };
    this.blocks.push(block);
    this.#slots[slot] = block;
    if (how % 2 === 0) this.#logAllocation(block);
    else this.#keptBack[thread]!.push(block);
  }

  /** Since its last operation: a log could not tell that from the new block. */
  #hasTouched(thread: number, start: number, size: number): boolean {
    return this.#lastOf(thread).accesses.some(
      ({ address, size: touched }) => address < start + size && address + touched > start,
    );
  }

  #logAllocation({ thread, seq, address, size }: Block): void {
    this.logs[thread]!.memory(LogOp.DH_OP_ALLOCATE, seq, address, size, 0x9100);
  }

  #free(thread: number, slot: number): void {
    const block = this.#slots[slot];
    if (!block) return;
    if (block.thread !== thread && block.seq > this.#starts[thread]!) return;
    this.#slots[slot] = undefined;
    const kept = this.#keptBack[block.thread]!;
    if (kept.includes(block) && block.thread === thread) {
      kept.splice(kept.indexOf(block), 1);
      this.#logAllocation(block);
    }
    const seq = this.#seq++;
    this.logs[thread]!.memory(LogOp.DH_OP_FREE, seq, block.address, block.size, 0x9200);
    const access = { ...block, flags: 0 };
    this.#begin(thread, { ...segment('free', seq), access });
  }

  /** What others have done without telling. */
  #tellEarlier(thread: number): void {
    const told = this.#untold.filter((untold) => untold.thread !== thread);
    this.#untold = this.#untold.filter((untold) => untold.thread === thread);
    for (const { thread: other, epoch, access, site } of told) {
      const { address, flags } = access;
      // Told twice now and then.
      for (let i = 0; i <= epoch % 2; i++) {
        this.logs[thread]!.earlier(other + 1, epoch, address, flags, site);
      }
    }
  }

  #sync(thread: number, op: number, object: number, extra = 0): void {
    const seq = this.#seq++;
    this.logs[thread]!.sync(op, seq, object, extra);
    this.#epochs[thread]!++;
    this.#begin(thread, { ...segment('sync', seq), logOp: op, object, extra });
  }

  #begin(thread: number, begun: TrueSegment): void {
    // All that is known of an untold access is its epoch, which a free does not end: it counts as its last.
    if (begun.op === 'free') {
      const { accesses } = this.#lastOf(thread);
      const untold = accesses.filter((access) => this.#wereUntold.has(access));
      begun.accesses.push(...untold);
      accesses.splice(0, accesses.length, ...accesses.filter((one) => !untold.includes(one)));
    }
    this.segments[thread]!.push(begun);
    this.#starts[thread] = begun.seq;
  }

  #lastOf(thread: number): TrueSegment {
    return this.segments[thread]!.at(-1)!;
  }
}

const segment = (op: TrueSegment['op'], seq: number): TrueSegment => ({
  ...{ op, seq, logOp: 0, object: 0, extra: 0, access: undefined, accesses: [] },
});

export const { DH_READ, DH_WRITE } = AccessFlag;
