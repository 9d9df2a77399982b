/**
 * One line of RAPID's STD text, `T0|fork(T2)|123`: a thread, what it does to what, and a number for the
 * place in the program. A name is one or more bytes other than blanks, control characters, | ( and ).
 * The operand of begin and end, which can only be the thread itself, may be missing, and is not looked
 * at. Works on bytes, without making strings: see byte-names.ts.
 */
import { decodeBytes, printable } from '../../base/bytes.ts';
import { NONE, Op } from '../model/op.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { ByteNames, firstHash, nextHash } from './byte-names.ts';
import { IMPOSSIBLE, MALFORMED, StdFault } from './fault.ts';
import { LockRules } from './lock-rules.ts';
import { NumberNames } from './number-names.ts';
import { ThreadRules } from './thread-rules.ts';

const BAR = 0x7c;
const OPEN = 0x28;
const CLOSE = 0x29;
const MINUS = 0x2d;
const ZERO = 0x30;
/** Of a line that makes no sense. */
const mostShown = 20;
/** So many digits are exact in any case. */
const mostDigits = 15;

/** 1 for bytes that a name can have. */
const inNames = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte > 0x20 && byte !== 0x7f && byte !== BAR && byte !== OPEN && byte !== CLOSE ? 1 : 0,
);

const OPS: Readonly<Record<string, Op>> = {
  r: Op.read,
  w: Op.write,
  acq: Op.acquire,
  rel: Op.release,
  fork: Op.fork,
  join: Op.join,
  begin: Op.begin,
  end: Op.end,
};

/** The ops by five bits of each letter, which is different for all of them. */
const opOfLetters = new Map(
  Object.entries(OPS).map(([word, op]) => {
    const letters = [...Buffer.from(word)].reduce((all, byte) => (all << 5) | (byte & 31), 0);
    return [letters, op];
  }),
);

export class LineParser {
  readonly #builder: ThreadTraceBuilder;
  readonly #threads = new ByteNames();
  readonly #locks = new ByteNames();
  readonly #variables = new ByteNames();
  readonly #sites = new NumberNames();
  readonly #lockRules: LockRules;
  readonly #threadRules: ThreadRules;
  #text: Uint8Array = new Uint8Array(0);
  /** Where the parser stands, and where its line ends. */
  #at = 0;
  #end = 0;

  constructor(builder: ThreadTraceBuilder) {
    this.#builder = builder;
    this.#lockRules = new LockRules(builder.tables);
    this.#threadRules = new ThreadRules(builder.tables);
  }

  /** Appends the event of the line that is at `start` … `end` of the text. */
  parse(text: Uint8Array, start: number, end: number, line: number): void {
    this.#text = text;
    this.#at = start;
    this.#end = end;
    const thread = this.#thread();
    this.#expect(BAR, "'|' after the thread");
    const op = this.#op();
    const operand = this.#at + 1;
    const target = op === Op.begin || op === Op.end ? this.#ownOperand(thread) : this.#operand(op);
    this.#expect(BAR, "'|' after the operation");
    const site = this.#site();
    if (this.#at !== end) throw this.#unexpected('the end of the line');
    const untimely = this.#threadFault(op, thread, line);
    if (untimely !== undefined) throw new StdFault(start, untimely, IMPOSSIBLE);
    const misused = this.#targetFault(op, thread, target, line);
    if (misused !== undefined) throw new StdFault(operand, misused, IMPOSSIBLE);
    this.#builder.append(thread, op, target, site);
  }

  #threadFault(op: Op, thread: number, line: number): string | undefined {
    if (op === Op.begin) return this.#threadRules.begin(thread, line);
    if (op === Op.end) return this.#threadRules.end(thread, line);
    return this.#threadRules.event(thread, line);
  }

  #targetFault(op: Op, thread: number, target: number, line: number): string | undefined {
    if (op === Op.acquire) return this.#lockRules.acquire(target, thread, line);
    if (op === Op.release) return this.#lockRules.release(target, thread);
    if (op === Op.fork) return this.#threadRules.fork(target, thread, line);
    if (op === Op.join) return this.#threadRules.join(target, thread, line);
    return undefined;
  }

  #op(): Op {
    const start = this.#at;
    let letters = 0;
    while (this.#at < this.#end && this.#at < start + 6) {
      const byte = this.#text[this.#at]!;
      if (byte < 0x61 || byte > 0x7a) break;
      letters = (letters << 5) | (byte & 31);
      this.#at++;
    }
    const op = opOfLetters.get(letters);
    if (op !== undefined) return op;
    this.#at = start;
    throw this.#unexpected(`one of ${Object.keys(OPS).join(', ')}`);
  }

  #operand(op: Op): number {
    this.#expect(OPEN, "'(' and what it is done to");
    const target = this.#target(op);
    this.#expect(CLOSE, "')'");
    return target;
  }

  #ownOperand(thread: number): number {
    if (this.#text[this.#at] !== OPEN || this.#at >= this.#end) return thread;
    this.#at++;
    this.#hashName();
    this.#expect(CLOSE, "')'");
    return thread;
  }

  #target(op: Op): number {
    if (op === Op.fork || op === Op.join) return this.#thread();
    const isLock = op === Op.acquire || op === Op.release;
    const names = isLock ? this.#locks : this.#variables;
    const number = this.#name(names, isLock ? 'the name of a lock' : 'the name of a variable');
    const { locks, variables } = this.#builder.tables;
    if (isLock && number === locks.count) {
      locks.add({ kind: 'mutex', address: 0, symbol: names.text(number) });
    } else if (!isLock && number === variables.count) {
      variables.add({ address: 0, size: 0, allocation: NONE, symbol: names.text(number) });
    }
    return number;
  }

  #thread(): number {
    const number = this.#name(this.#threads, 'the name of a thread');
    const { threads } = this.#builder.tables;
    if (number === threads.count) {
      threads.add({ name: this.#threads.text(number), process: 0, tid: 0 });
    }
    return number;
  }

  #site(): number {
    const isNegative = this.#at < this.#end && this.#text[this.#at] === MINUS;
    if (isNegative) this.#at++;
    const start = this.#at;
    let value = 0;
    while (this.#at < this.#end) {
      const digit = this.#text[this.#at]! - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      this.#at++;
    }
    if (this.#at === start) throw this.#unexpected('a number for the place in the program');
    if (this.#at - start > mostDigits)
      throw new StdFault(start, 'this number is too long', MALFORMED);
    return this.#siteOf(isNegative && value !== 0 ? -value : value);
  }

  #siteOf(place: number): number {
    const number = this.#sites.numberOf(place);
    const { sites } = this.#builder.tables;
    if (number === sites.count) {
      sites.add({ module: NONE, address: place, function: '', file: '', line: 0 });
    }
    return number;
  }

  #name(names: ByteNames, what: string): number {
    const start = this.#at;
    const hash = this.#hashName();
    if (this.#at === start) throw this.#unexpected(what);
    return names.numberOf(this.#text, start, this.#at, hash);
  }

  /** Goes on to the end of the name. */
  #hashName(): number {
    const text = this.#text;
    const end = this.#end;
    let at = this.#at;
    let hash = firstHash;
    for (; at < end && inNames[text[at]!] === 1; at++) hash = nextHash(hash, text[at]!);
    this.#at = at;
    return hash;
  }

  #expect(byte: number, what: string): void {
    if (this.#at >= this.#end || this.#text[this.#at] !== byte) throw this.#unexpected(what);
    this.#at++;
  }

  #unexpected(wanted: string): StdFault {
    const rest = this.#text.subarray(this.#at, Math.min(this.#end, this.#at + mostShown));
    const seen = rest.length === 0 ? 'the line ends' : `here is '${printable(decodeBytes(rest))}'`;
    return new StdFault(this.#at, `${wanted} is missing: ${seen}`, MALFORMED);
  }
}
