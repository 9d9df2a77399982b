/**
 * Reads the log of a thread that was sampled (layout: agent/deadheat.h), without making an object of each
 * record: there may be millions.
 *
 *   const log = readSamplingLog(bytes);
 *   while (log.next()) {
 *     if (log.kind === SampledKind.DH_SAMPLED_ACCESS) use(log.time, log.place, log.register(RSP), log.locks);
 *   }
 *
 * What `next` has found is read off the cursor; each kind has some of these fields, and the others mean
 * nothing then. Registers are numbers with a sign: exact up to 2^53 in either direction, which all addresses
 * are, and all that is added to them.
 *
 * A log may end anywhere, since the thread may have been killed: half a record at the end is left out. Where
 * words cannot have been written by an agent, the next records that look whole are searched for; the first of
 * them then has `isAfterGap`, and what happened in between is as unknown as if nothing had been logged. A log
 * whose end is missing `isCut`.
 */
import { ok, type Result } from '../../base/result.ts';
import { type AgentLogHeader, type LogParts, readLogParts } from '../../linux/agent-log.ts';
import { type LogFile, openLog, type UnreadableLog } from '../../linux/agent-log-file.ts';
import { LogOp, SampledKind, SampledWords, SamplingNumbers } from '../../linux/agent-protocol.ts';

const TWO_TO_32 = 0x1_0000_0000;
const GENERAL_REGISTERS = 16;
/** Of an ACCESS: where its parts begin, counted in words. */
const REGISTERS_AT = 3;
const LOCKS_AT = REGISTERS_AT + GENERAL_REGISTERS;
/** Of a MEMORY record. */
const BLOCKS_AT = 2;
const LAST_OP = Math.max(...Object.values(LogOp));
const MOST_FLAGS = 15;
const NOTHING = new Uint32Array(0);
/** So many in a row must look whole before the log is believed again. */
const WHOLE_IN_A_ROW = 3;
/** No two records are further apart in time, as far as damaged words go: hours, with any clock. */
const FARTHEST_TIME = 2 ** 44;
/** Units of sizes. */
const SMALL_UNIT = 16;
const LARGE_UNIT = 65536;

export class SamplingLog {
  readonly header: AgentLogHeader;
  /** As in `SampledKind`. */
  kind = 0;
  /** Of ACCESS, MEMORY (the first of its blocks), SYNC, CLOCK and SWITCH, in ticks. */
  time = 0;
  /** Something before this record could not be read. */
  isAfterGap = false;
  /** Words that were no records, and how often there were some. */
  damagedWords = 0;
  gaps = 0;
  /** The rest is missing: known once `next` has come to the end. */
  isCut = false;
  #halves: Uint32Array;
  #window: Uint32Array | undefined;
  readonly #lacksEnd: boolean;
  readonly #appendedLength: number;
  readonly #windowLength: number;
  /** Where the record begins, and ends: counted in halves. */
  #at = 0;
  #end = 0;

  constructor({ header, appended, window }: LogParts) {
    this.header = header;
    this.#halves = appended;
    this.#window = window ?? NOTHING;
    this.#lacksEnd = window === undefined;
    this.#appendedLength = appended.length;
    this.#windowLength = window?.length ?? 0;
  }

  /** How much was read, and how much there is, in bytes. */
  get position(): number {
    const before = this.#window === undefined ? this.#appendedLength : 0;
    return (before + this.#end) * Uint32Array.BYTES_PER_ELEMENT;
  }

  get length(): number {
    return (this.#appendedLength + this.#windowLength) * Uint32Array.BYTES_PER_ELEMENT;
  }

  /** Goes to the next record: false at the end. */
  next(): boolean {
    this.isAfterGap = false;
    for (;;) {
      const halves = this.#halves;
      const at = this.#end;
      if (at >= halves.length || halves[at] === 0) {
        if (this.#window === undefined) return this.#finish(at > 0 && at >= halves.length);
        this.#halves = this.#window;
        this.#window = undefined;
        this.#end = 0;
        continue;
      }
      const words = this.#wordsAt(at);
      const end = at + 2 * words;
      if (words === 0) this.#skipDamage(at);
      else if (end > halves.length) this.#leaveHalf(at);
      else {
        this.#at = at;
        this.#end = end;
        this.kind = halves[at]! & 0xff;
        if (this.kind !== SampledKind.DH_SAMPLED_BASE) {
          this.time = halves[at + 2]! + halves[at + 3]! * TWO_TO_32;
        }
        return true;
      }
    }
  }

  /** There is always room behind the last record: a log that ends with it has lost the rest. */
  #finish(hasRunOut: boolean): false {
    this.isCut = this.#lacksEnd || this.isAfterGap || hasRunOut;
    return false;
  }

  /** At the very end the thread was killed, or the file has lost more; anywhere else it is damage. */
  #leaveHalf(at: number): void {
    const isAtEnd = this.#window === undefined || this.#lacksEnd;
    if (isAtEnd) this.#end = this.#halves.length;
    else this.#skipDamage(at);
  }

  /** 0 if no record can begin like that. */
  #wordsAt(at: number): number {
    const head = this.#halves[at]!;
    const isAccess = (head & 0xff) === SampledKind.DH_SAMPLED_ACCESS;
    if (this.#halves[at + 1] !== 0 && !isAccess) return 0;
    const [low, high] = [(head >>> 8) & 0xff, head >>> 16];
    switch (head & 0xff) {
      case SampledKind.DH_SAMPLED_ACCESS: {
        const [locks, stack] = [high & 0xff, high >>> 8];
        const isOne =
          low <= MOST_FLAGS &&
          locks <= SamplingNumbers.DH_LOCKS_MAX &&
          stack <= SamplingNumbers.DH_STACK_WORDS_MAX;
        return isOne ? LOCKS_AT + locks + stack : 0;
      }
      case SampledKind.DH_SAMPLED_MEMORY: {
        const isOne = low === 0 && high > 0 && high <= SamplingNumbers.DH_BLOCKS_MAX;
        return isOne ? BLOCKS_AT + high : 0;
      }
      case SampledKind.DH_SAMPLED_SYNC:
        return low > 0 && low <= LAST_OP && high === 0 ? SampledWords.DH_SAMPLED_SYNC_WORDS : 0;
      case SampledKind.DH_SAMPLED_CLOCK:
        return low === 0 && high === 0 ? SampledWords.DH_SAMPLED_CLOCK_WORDS : 0;
      case SampledKind.DH_SAMPLED_BASE:
        return low === 0 && high === 0 ? SampledWords.DH_SAMPLED_BASE_WORDS : 0;
      case SampledKind.DH_SAMPLED_SWITCH:
        return low <= 1 && high === 0 ? SampledWords.DH_SAMPLED_SWITCH_WORDS : 0;
      default:
        return 0;
    }
  }

  /** To the next records that look whole, or to the end of this part. */
  #skipDamage(from: number): void {
    let at = from + 2;
    while (at < this.#halves.length && !this.#looksWhole(at)) at += 2;
    this.damagedWords += (at - from) / 2;
    this.gaps++;
    this.isAfterGap = true;
    this.#end = at;
  }

  #looksWhole(start: number): boolean {
    const halves = this.#halves;
    let [at, time] = [start, this.time];
    for (let count = 0; count < WHOLE_IN_A_ROW; count++) {
      // Where everything ends, there are no more to look at.
      if (at >= halves.length || halves[at] === 0) return count > 0;
      const words = this.#wordsAt(at);
      if (words === 0 || at + 2 * words > halves.length) return false;
      if ((halves[at]! & 0xff) !== SampledKind.DH_SAMPLED_BASE) {
        const now = halves[at + 2]! + halves[at + 3]! * TWO_TO_32;
        if (now < time || (time > 0 && now > time + FARTHEST_TIME)) return false;
        time = now;
      }
      at += 2 * words;
    }
    return true;
  }

  /** Of ACCESS: `SampleFlag`s. Of SYNC: its `op`. Of SWITCH: 1 if it was turned on. */
  get flags(): number {
    return (this.#halves[this.#at]! >>> 8) & 0xff;
  }

  /** Of SYNC, as in `LogOp`. */
  get op(): number {
    return this.flags;
  }

  /** Of ACCESS: the instruction that comes next. */
  get place(): number {
    return this.#word(2);
  }

  /** Of ACCESS, if the next record is one, too: where that stands. Of a hardware record it is the signal's. */
  get nextPlace(): number | undefined {
    const at = this.#end;
    const isOne =
      at + 6 <= this.#halves.length && (this.#halves[at]! & 0xff) === SampledKind.DH_SAMPLED_ACCESS;
    return isOne ? this.#halves[at + 4]! + (this.#halves[at + 5]! | 0) * TWO_TO_32 : undefined;
  }

  /** Of ACCESS; by the processor's own numbers. */
  register(number: number): number {
    return this.#word(REGISTERS_AT + number);
  }

  /** Of ACCESS: how many locks the thread had taken by then, whether it has let them go or not, modulo 2^32. */
  get taken(): number {
    return this.#halves[this.#at + 1]!;
  }

  /** Of ACCESS: how many locks there are. */
  get locks(): number {
    return (this.#halves[this.#at]! >>> 16) & 0xff;
  }

  /** Of ACCESS: the address of a lock, plus 1 if others may hold it as well. */
  lock(index: number): number {
    return this.#word(LOCKS_AT + index);
  }

  /** Of ACCESS: how many return addresses. */
  get stackWords(): number {
    return this.#halves[this.#at]! >>> 24;
  }

  /** Of ACCESS: innermost first. */
  returnAddress(index: number): number {
    return this.#word(LOCKS_AT + this.locks + index);
  }

  /** Of MEMORY: how many blocks. */
  get blocks(): number {
    return this.#halves[this.#at]! >>> 16;
  }

  /** Of MEMORY. */
  blockAddress(index: number): number {
    const at = this.#at + 2 * (BLOCKS_AT + index);
    return (this.#halves[at]! + (this.#halves[at + 1]! & 0x7ff) * TWO_TO_32) * 16;
  }

  /** Of MEMORY. */
  isFreed(index: number): boolean {
    return (this.#halves[this.#at + 2 * (BLOCKS_AT + index) + 1]! & 0x800) !== 0;
  }

  /** Of MEMORY, in bytes, rounded up; 0 if it is not known. */
  blockSize(index: number): number {
    const size = this.#halves[this.#at + 2 * (BLOCKS_AT + index) + 1]! >>> 12;
    return size < SamplingNumbers.DH_BLOCK_LARGE
      ? size * SMALL_UNIT
      : (size - SamplingNumbers.DH_BLOCK_LARGE) * LARGE_UNIT;
  }

  /** Of SYNC: an address, or something else that is the same for the same object, as a bigint of 64 bits. */
  get object(): bigint {
    const at = this.#at + 4;
    return BigInt(this.#halves[at]!) | (BigInt(this.#halves[at + 1]!) << 32n);
  }

  /** Of SYNC. */
  get extra(): number {
    return this.#word(3);
  }

  /** Of CLOCK. */
  get nanoseconds(): number {
    return this.#word(2);
  }

  /** Of CLOCK: what the thread has had of processors so far. */
  get processorNanoseconds(): number {
    return this.#word(3);
  }

  /** Of BASE. */
  get fsBase(): number {
    return this.#word(1);
  }

  get gsBase(): number {
    return this.#word(2);
  }

  /** Of BASE: 0 if it is not known. */
  get stackStart(): number {
    return this.#word(3);
  }

  get stackEnd(): number {
    return this.#word(4);
  }

  /** As a number with a sign. */
  #word(index: number): number {
    const at = this.#at + 2 * index;
    return this.#halves[at]! + (this.#halves[at + 1]! | 0) * TWO_TO_32;
  }
}

export function readSamplingLog(bytes: Buffer): Result<SamplingLog, string> {
  const parts = readLogParts(bytes);
  return parts.ok ? ok(new SamplingLog(parts.value)) : parts;
}

export type SamplingLogFile = LogFile<SamplingLog>;

export const openSamplingLog = (path: string): Result<SamplingLogFile, UnreadableLog> =>
  openLog(path, readSamplingLog);
