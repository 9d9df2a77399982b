/**
 * File locks (flock, and fcntl's) as order: whoever gets a lock comes after all that those did under
 * it who had it before. When they let go of it is not recorded (closing the file or ending is
 * enough), so all counts that they have done until the next one gets it.
 *
 *   14: flock(9), write f …     15: flock(9)     after all that 14 has done until then
 *                               16: flock(9)     after 15, and so after 14's writes too
 *
 * Those who share a lock come after the last who had it alone, but not after each other.
 *
 *   ( flock 9; n=$(cat counter); echo $((n + 1)) >counter ) 9>lock
 *
 * Here flock(1) takes the lock for its parent, through a descriptor it was given; so a holder's
 * parent counts as a holder too. What a holder's children do is ordered only by its waiting for them.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid } from '../../../linux/ids.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import { overlap, type Range, WHOLE } from '../../model/operation.ts';

/** Source: <linux/fcntl.h>: F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW. */
export const LOCKING_COMMANDS: ReadonlySet<number> = new Set([6, 7, 37, 38]);
/** Source: <asm-generic/fcntl.h>. */
const LOCK_SH = 1;
const LOCK_UN = 8;
const F_RDLCK = 0;
const F_UNLCK = 2;
const SEEK_SET = 0;
/** `struct flock`. */
const FLOCK = { type: 0, whence: 2, start: 8, length: 16, size: 24 } as const;

/** Which part of a file; where that is not certain, it may be any, and is not shared. */
interface Extent {
  range: Range;
  isCertain: boolean;
  isShared: boolean;
}

interface Lock extends Extent {
  holders: Set<Pid>;
  /** What all who share it come after. */
  before: readonly EventId[];
}

/** What is known of processes. */
interface Holders {
  lastOf(process: Pid): readonly EventId[];
  hasEnded(process: Pid): boolean;
}

const NONE: readonly EventId[] = [];
/** A file with more parts than this that are locked counts as one whole. */
const MOST_PARTS = 256;

export class Locks {
  readonly #processes: Holders;
  readonly #locks = new Map<string, Lock[]>();

  constructor(processes: Holders) {
    this.#processes = processes;
  }

  /** What this call comes after, if it takes a lock; notes the new holder. */
  causesOf(
    call: CallRecord,
    name: string,
    taker: Pid,
    parent: Pid | undefined,
  ): readonly EventId[] {
    const extent =
      name === 'flock' ? flockExtent(call) : name === 'fcntl' ? fcntlExtent(call) : undefined;
    if (!extent || !call.file || call.result < 0) return NONE;
    const file = `${name} ${call.file.device}:${call.file.inode}`;
    const locks = this.#locks.get(file) ?? [];
    const met = locks.filter(({ range }) => overlap(range, extent.range));
    const causes = met.flatMap((lock) => this.#before(lock, extent));
    const kept = locks.filter((lock) => !isDoneWith(lock, extent));
    this.#hold(kept, extent, causes, parent === undefined ? [taker] : [taker, parent]);
    this.#locks.set(file, kept.length > MOST_PARTS ? [asWhole(kept)] : kept);
    return causes;
  }

  #before(lock: Lock, { isShared }: Extent): readonly EventId[] {
    if (isShared && lock.isShared) return lock.before;
    return [...lock.before, ...[...lock.holders].flatMap((one) => this.#processes.lastOf(one))];
  }

  #hold(locks: Lock[], extent: Extent, causes: readonly EventId[], takers: readonly Pid[]): void {
    const known = locks.find((lock) => isAlike(lock, extent));
    if (!known) {
      const before = extent.isShared ? causes : NONE;
      locks.push({ ...extent, holders: new Set(takers), before });
      return;
    }
    for (const taker of takers) known.holders.add(taker);
    if (known.isShared) return;
    // This taker comes after all that, and others after this taker.
    known.before = NONE;
    for (const holder of known.holders) {
      if (this.#processes.hasEnded(holder)) known.holders.delete(holder);
    }
  }
}

/** Whether a call takes a lock that it shares with nobody, of a part of the file at least. */
export function takesLockAlone(call: CallRecord): boolean {
  const name = syscallName(call.number);
  if (call.result < 0 || (name !== 'flock' && name !== 'fcntl')) return false;
  const extent = name === 'flock' ? flockExtent(call) : fcntlExtent(call);
  return extent !== undefined && !extent.isShared;
}

/** Whether a call leaves a lock of a whole file. */
export const leavesLock = ({ number, args, result }: CallRecord): boolean =>
  result >= 0 && syscallName(number) === 'flock' && ((args[1] ?? 0) & LOCK_UN) !== 0;

/** Whoever has the same part or more, and not together with others, has it after those. */
const isDoneWith = (lock: Lock, next: Extent): boolean =>
  lock.isCertain &&
  next.isCertain &&
  isWithin(lock.range, next.range) &&
  !(next.isShared && lock.isShared);

/** Both share one part, or of both it is not known which part. */
const isAlike = (a: Extent, b: Extent): boolean =>
  a.isCertain === b.isCertain &&
  a.isShared === b.isShared &&
  isWithin(a.range, b.range) &&
  isWithin(b.range, a.range);

const asWhole = (locks: readonly Lock[]): Lock => ({
  ...ANY_PART,
  holders: new Set(locks.flatMap(({ holders }) => [...holders])),
  before: locks.flatMap(({ before }) => before),
});

const ANY_PART: Extent = { range: WHOLE, isCertain: false, isShared: false };

const isWithin = (inner: Range, outer: Range): boolean =>
  inner.from >= outer.from && inner.to <= outer.to;

function flockExtent({ args }: CallRecord): Extent | undefined {
  const operation = args[1] ?? 0;
  if (operation & LOCK_UN) return undefined;
  return { range: WHOLE, isCertain: true, isShared: (operation & LOCK_SH) !== 0 };
}

function fcntlExtent({ args, data }: CallRecord): Extent | undefined {
  if (!LOCKING_COMMANDS.has(args[1] ?? 0)) return undefined;
  const bytes = data === undefined ? Buffer.alloc(0) : encodeBytes(data);
  if (bytes.length < FLOCK.size) return ANY_PART;
  const type = bytes.readInt16LE(FLOCK.type);
  if (type === F_UNLCK) return undefined;
  const range = lockedRange(bytes);
  return range ? { range, isCertain: true, isShared: type === F_RDLCK } : ANY_PART;
}

/** undefined where it begins at the position of the file, or its end. A length of 0 is up to the end. */
function lockedRange(bytes: Buffer): Range | undefined {
  if (bytes.readInt16LE(FLOCK.whence) !== SEEK_SET) return undefined;
  const from = Number(bytes.readBigInt64LE(FLOCK.start));
  const length = Number(bytes.readBigInt64LE(FLOCK.length));
  if (length === 0) return { from, to: Number.POSITIVE_INFINITY };
  return length > 0 ? { from, to: from + length } : { from: from + length, to: from };
}
