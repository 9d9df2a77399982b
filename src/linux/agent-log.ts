/**
 * Reads the log of a thread (layout: agent/deadheat.h) record by record, without making an object of
 * each: there may be hundreds of millions.
 *
 *   const log = readAgentLog(bytes);
 *   while (log.next()) {
 *     if (log.kind === LogKind.DH_LOG_SYNC) use(log.op, log.seq, log.object, log.extra, log.caller);
 *   }
 *
 * What `next` has found is read off the cursor; each kind has some of these fields, and the others
 * mean nothing then. Addresses have 48 bits and numbers of operations fewer, so all are exact as
 * numbers. A log may end anywhere, since the thread may have been killed: half a record at the end is
 * left out. It has two parts, what was appended to the file and then what is still in the window. What cannot
 * have been written by an agent ends the log as well, and shows in `damage`.
 */
import { assert } from '../base/assert.ts';
import { decodeBytes } from '../base/bytes.ts';
import { err, ok, type Result } from '../base/result.ts';
import {
  AgentProtocol,
  DH_LOG_WINDOW,
  DH_SIZE_PAGES,
  LOG_HEADER_SIZE,
  LogHeaderAt,
  LogKind,
  LogOp,
} from './agent-protocol.ts';
import { type Nanoseconds, nanoseconds, type Pid, pid, type Tid, tid } from './ids.ts';

export interface AgentLogHeader {
  process: number;
  pid: Pid;
  tid: Tid;
  thread: number;
  time: Nanoseconds;
  name: string;
}

const WORDS: readonly number[] = lengths({
  [LogKind.DH_LOG_ACCESS]: 1,
  [LogKind.DH_LOG_RANGE]: 4,
  [LogKind.DH_LOG_RUN]: 4,
  [LogKind.DH_LOG_EARLIER]: 3,
  [LogKind.DH_LOG_SYNC]: 3,
  [LogKind.DH_LOG_WAIT]: 4,
  [LogKind.DH_LOG_SITE]: 2,
  [LogKind.DH_LOG_PAIR]: 1,
  [LogKind.DH_LOG_PAIR_FROM_OTHER]: 1,
  [LogKind.DH_LOG_PAIR_TO_OTHER]: 1,
  [LogKind.DH_LOG_PAIR_BETWEEN_OTHERS]: 1,
  [LogKind.DH_LOG_MEMORY]: 3,
  [LogKind.DH_LOG_ATOMIC]: 3,
});
/** As DH_LOG_SITES. */
const SAID_SITES = 256;
/** A distance in a PAIR has 20 bits of 32. */
const DISTANCE_BITS_LEFT = 12;
const FARTHEST = 2 ** 19;
const TWO_TO_16 = 0x1_0000;
const TWO_TO_32 = 0x1_0000_0000;

const NOTHING = new Uint32Array(0);

/** A place in a log, with what its SITE records had said before. */
export interface LogMark {
  readonly halves: Uint32Array;
  readonly window: Uint32Array | undefined;
  readonly end: number;
  readonly accessAddress: number;
  readonly otherAddress: number;
  readonly flags: Uint8Array;
  readonly sites: Uint32Array;
  readonly sizes: Uint16Array;
}

export class AgentLog {
  readonly header: AgentLogHeader;
  /** What is wrong with the log, once `next` has come upon it. */
  damage: string | undefined;
  /** Of the record, as in `LogKind`; a WAIT is given as SYNC. */
  kind = 0;
  /** Of a SYNC or MEMORY record, as in `LogOp`; of the others `AccessFlag`s. */
  op = 0;
  /** Of ACCESS, RUN and ATOMIC: how many bytes. */
  small = 0;
  /** Of ACCESS, RUN and ATOMIC: where in the program. */
  site = 0;
  /** Of the last ACCESS. */
  #accessAddress = 0;
  /** Of the last one whose next was far away. */
  #otherAddress = 0;
  /** By what number the second half of a PAIR calls its site; -1: none is left. */
  #secondSaid = -1;
  #secondIsFromOther = false;
  /** What SITE records have said, by their number. */
  readonly #flags = new Uint8Array(SAID_SITES);
  readonly #sites = new Uint32Array(SAID_SITES);
  readonly #sizes = new Uint16Array(SAID_SITES);
  /** Lower and upper half of each 64-bit word, of the part that is being read. */
  #halves: Uint32Array;
  /** The part that comes then. */
  #window: Uint32Array | undefined;
  readonly #isCut: boolean;
  /** Where the record begins, and ends: counted in halves. */
  #at = 0;
  #end = 0;

  /** Without a window, the rest of the log is missing. */
  constructor(header: AgentLogHeader, appended: Uint32Array, window: Uint32Array | undefined) {
    this.header = header;
    this.#halves = appended;
    this.#window = window ?? NOTHING;
    this.#isCut = window === undefined;
  }

  /** This place, to come back to with `rewind`; the record must not be an ACCESS. */
  mark(): LogMark {
    assert(this.#secondSaid < 0, 'a mark between the two accesses of a pair');
    return {
      halves: this.#halves,
      window: this.#window,
      end: this.#end,
      accessAddress: this.#accessAddress,
      otherAddress: this.#otherAddress,
      flags: this.#flags.slice(),
      sites: this.#sites.slice(),
      sizes: this.#sizes.slice(),
    };
  }

  /** `next` then gives again what it gave after the mark was made. */
  rewind(mark: LogMark): void {
    this.#halves = mark.halves;
    this.#window = mark.window;
    this.#at = this.#end = mark.end;
    this.#accessAddress = mark.accessAddress;
    this.#otherAddress = mark.otherAddress;
    this.#secondSaid = -1;
    this.#flags.set(mark.flags);
    this.#sites.set(mark.sites);
    this.#sizes.set(mark.sizes);
  }

  /** Goes to the next record: false at the end. */
  next(): boolean {
    if (this.#secondSaid >= 0) {
      const said = this.#secondSaid;
      this.#secondSaid = -1;
      const distance = this.#half(1) >> DISTANCE_BITS_LEFT;
      return this.#access(said, this.#from(this.#secondIsFromOther) + distance);
    }
    while (this.#nextOfAll()) {
      if (this.kind === LogKind.DH_LOG_ACCESS) {
        return this.#access(this.op, (this.#half(0) >>> 16) + this.#half(1) * TWO_TO_16);
      }
      if (this.kind >= LogKind.DH_LOG_PAIR) {
        const others = this.kind - LogKind.DH_LOG_PAIR;
        this.#secondIsFromOther = others > 1;
        this.#secondSaid = (this.#half(0) >>> 16) & 0xff;
        const distance = (this.#half(0) >>> 24) | (this.#half(1) << 8);
        const signed = (distance << DISTANCE_BITS_LEFT) >> DISTANCE_BITS_LEFT;
        this.kind = LogKind.DH_LOG_ACCESS;
        return this.#access(this.op, this.#from((others & 1) !== 0) + signed);
      }
      this.site = this.#half(1);
      this.small = this.#half(0) >>> 16;
      if (this.kind !== LogKind.DH_LOG_SITE) return true;
      const number = this.#half(2) % SAID_SITES;
      this.#flags[number] = this.op;
      this.#sites[number] = this.site;
      this.#sizes[number] = this.small;
    }
    return false;
  }

  #access(said: number, address: number): true {
    this.op = this.#flags[said]!;
    this.site = this.#sites[said]!;
    this.small = this.#sizes[said]!;
    if (!isNear(address - this.#accessAddress)) this.#otherAddress = this.#accessAddress;
    this.#accessAddress = address;
    return true;
  }

  #from(other: boolean): number {
    return other ? this.#otherAddress : this.#accessAddress;
  }

  #nextOfAll(): boolean {
    const at = this.#end;
    const head = this.#halves[at];
    if (head === undefined || head === 0) return this.#nextPart();
    const kind = head & 0xff;
    const words = WORDS[kind];
    if (words === undefined) {
      const part = this.#window === undefined ? 'the window' : 'the appended part';
      this.damage = `there is no kind ${kind} of record, as at byte ${at * 4} of ${part}`;
      return false;
    }
    if (at + 2 * words > this.#halves.length) {
      if (this.#isCut) this.damage = 'its end is missing';
      return false;
    }
    this.#at = at;
    this.#end = at + 2 * words;
    this.kind = kind === LogKind.DH_LOG_WAIT ? LogKind.DH_LOG_SYNC : kind;
    this.op = (head >>> 8) & 0xff;
    return true;
  }

  #nextPart(): boolean {
    if (this.#isCut) this.damage = 'its end is missing';
    if (this.#window === undefined || this.#isCut) return false;
    this.#halves = this.#window;
    this.#window = undefined;
    this.#at = this.#end = 0;
    return this.#nextOfAll();
  }

  /** Of EARLIER: the number of the other thread. */
  get otherThread(): number {
    return this.#half(1);
  }

  /** Of all but SYNC. */
  get address(): number {
    switch (this.kind) {
      case LogKind.DH_LOG_ACCESS:
        return this.#accessAddress;
      case LogKind.DH_LOG_ATOMIC:
        return this.#word(2);
      default:
        return this.#low48(1);
    }
  }

  /** Of SYNC, MEMORY and ATOMIC: the place in the order over all threads of the process. */
  get seq(): number {
    if (this.kind === LogKind.DH_LOG_ATOMIC) return this.#word(1);
    return (this.#half(0) >>> 16) + this.#half(1) * TWO_TO_16;
  }

  /** Of SYNC. */
  get object(): number {
    return this.#low48(1);
  }

  /** Of SYNC: a WAIT has a word of its own for it. */
  get extra(): number {
    return this.#end - this.#at === 8 ? this.#word(3) : this.#half(3) >>> 16;
  }

  /** Of SYNC, MEMORY and RANGE: the address to which the call returns. */
  get caller(): number {
    return this.kind === LogKind.DH_LOG_RANGE ? this.#word(3) : this.#low48(2);
  }

  /** Of RANGE and MEMORY: bytes. */
  get length(): number {
    if (this.kind !== LogKind.DH_LOG_MEMORY) return this.#word(2);
    const size = (this.#half(3) >>> 16) + (this.#half(5) >>> 16) * TWO_TO_16;
    return size < DH_SIZE_PAGES ? size : (size - DH_SIZE_PAGES) * 4096;
  }

  /** Of RUN: bytes from one access to the next, which may lie below. */
  get stride(): number {
    return this.#half(4) + (this.#half(5) | 0) * TWO_TO_32;
  }

  /** Of RUN. */
  get count(): number {
    return this.#word(3);
  }

  /** Of EARLIER. */
  get epoch(): number {
    return this.#half(4);
  }

  /** Of EARLIER: where in the program the other thread was; `DH_NO_SITE` if that is not known. */
  get otherSite(): number {
    return this.#half(5);
  }

  #half(index: number): number {
    return this.#halves[this.#at + index] as number;
  }

  #word(index: number): number {
    return this.#half(2 * index) + this.#half(2 * index + 1) * TWO_TO_32;
  }

  #low48(index: number): number {
    return this.#half(2 * index) + (this.#half(2 * index + 1) & 0xffff) * TWO_TO_32;
  }
}

function isNear(distance: number): boolean {
  return distance >= -FARTHEST && distance < FARTHEST;
}

/** `DH_OP_ACQUIRE` is `acquire`: for people. */
export const LOG_OP_NAMES: readonly string[] = Object.keys(LogOp).map((name) =>
  name.slice('DH_OP_'.length).toLowerCase().replaceAll('_', '-'),
);

/** What every log has, whatever kinds of records are in it. */
export interface LogParts {
  readonly header: AgentLogHeader;
  /** As halves of 64-bit words. */
  readonly appended: Uint32Array;
  /** What comes then; undefined if the rest of the log is missing. */
  readonly window: Uint32Array | undefined;
}

export function readAgentLog(bytes: Buffer): Result<AgentLog, string> {
  const parts = readLogParts(bytes);
  if (!parts.ok) return parts;
  const { header, appended, window } = parts.value;
  return ok(new AgentLog(header, appended, window));
}

/** A thread that was killed while it started has left a log without a header: also an error. */
export function readLogParts(bytes: Buffer): Result<LogParts, string> {
  if (bytes.length < LOG_HEADER_SIZE) return err('it is shorter than its header');
  if (bytes.readUInt32LE(LogHeaderAt.magic) !== AgentProtocol.DH_LOG_MAGIC) {
    return err("it is not an agent's log");
  }
  const protocol = bytes.readUInt32LE(LogHeaderAt.protocol);
  if (protocol !== AgentProtocol.DH_PROTOCOL) return err(`its protocol is ${protocol}`);
  const name = bytes.subarray(LogHeaderAt.name, LogHeaderAt.name + 16);
  const zero = name.indexOf(0);
  const header: AgentLogHeader = {
    process: bytes.readUInt32LE(LogHeaderAt.process),
    pid: pid(bytes.readUInt32LE(LogHeaderAt.pid)),
    tid: tid(bytes.readUInt32LE(LogHeaderAt.tid)),
    thread: bytes.readUInt32LE(LogHeaderAt.thread),
    time: nanoseconds(Number(bytes.readBigUInt64LE(LogHeaderAt.time))),
    name: decodeBytes(name.subarray(0, zero < 0 ? name.length : zero)),
  };
  const flushed = Number(bytes.readBigUInt64LE(LogHeaderAt.flushed));
  const isStale = Number(bytes.readBigUInt64LE(LogHeaderAt.window_start)) !== flushed;
  const halves = asHalves(bytes);
  const [start, end] = [LOG_HEADER_SIZE / 4, DH_LOG_WINDOW / 4];
  const appended = halves.subarray(end, end + flushed / 4);
  const isCut = appended.length < Math.floor(flushed / 4);
  const window = isCut ? undefined : halves.subarray(start, isStale ? start : end);
  return ok({ header, appended, window });
}

/** A view needs an aligned start, which pieces of Node's pool may lack. */
function asHalves(bytes: Buffer): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(bytes.length / 4));
}

function lengths(words: Record<number, number>): number[] {
  const table: number[] = [];
  for (const [kind, length] of Object.entries(words)) table[Number(kind)] = length;
  return table;
}
