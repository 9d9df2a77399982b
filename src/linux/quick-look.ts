/**
 * Our side of agent/tracer/, the C that holds a thread for a moment while JavaScript would still be on its way:
 *
 *   const look = quickLook(pid, memory);          undefined where there is no such library
 *   look.know(0x11a2, shape, bytes)               a breakpoint stands there, before an access of this shape
 *   look.look({ threads, untilMs: 100, … })       whoever comes to it is held, and goes on
 *     → { end: 'time', over: [{ holder: 7, … }], … }
 *
 * It has to be the thread that traces the process.
 */
import koffi from 'koffi';
import { assert } from '../base/assert.ts';
import { tryTo } from '../base/result.ts';
import { agentLibrary } from './agent-library.ts';
import { type Pid, type Tid, tid } from './ids.ts';
import { allocate, type NativeMemory, release } from './native-memory.ts';
import type { PerfEventFd } from './perf-event.ts';
import {
  ENDS,
  KNOWN_BYTES,
  LOOK_SIZE,
  LookAt,
  MOST_TOUCHED,
  NO_REGISTER,
  PIECES,
  PLACE_SIZE,
  PlaceAt,
  WINDOW_SIZE,
  WindowAt,
  WRITTEN,
} from './quick-look-layout.ts';
import { REGISTERS_SIZE, type RegisterName, Registers, registerWord } from './registers.ts';

const MOST_PLACES = 4096;
const MOST_THREADS = 256;
const NS = 1e6;

/** What an instruction touches, as `[base+index*scale+displacement]`. */
export interface AccessShape {
  readonly base: RegisterName | undefined;
  readonly index: RegisterName | undefined;
  readonly segment: 'fs_base' | 'gs_base' | undefined;
  readonly scale: number;
  /** The whole address, where it hangs on no register. */
  readonly displacement: bigint;
  /** Up to `MOST_TOUCHED`. */
  readonly size: number;
  readonly isStore: boolean;
}

/** A breakpoint that is written when its time has come. */
export interface Unwritten {
  readonly address: bigint;
  readonly atMs: number;
}

/** Times are in milliseconds since the call. */
export interface LookRequest {
  readonly threads: readonly Tid[];
  /** The first ones first. */
  readonly unwritten: readonly Unwritten[];
  /** When to come back. */
  readonly untilMs: number;
  /** Who comes earlier goes on. */
  readonly fromMs: number;
  /** So much later another window is due, … */
  readonly everyMs: number;
  /** … and so long ago it may have been due when somebody comes at last. */
  readonly savedMs: number;
  readonly windowMs: number;
  /** That the signals of watchpoints have. */
  readonly word: bigint;
}

export interface LookWindow {
  readonly holder: Tid;
  /** Of the instruction that it stands before. */
  readonly address: bigint;
  readonly touched: bigint;
  readonly registers: Registers;
  readonly hitMs: number;
  readonly openMs: number;
  readonly overMs: number;
}

/** One in which something has happened: the holder stands, and the watchpoints are there. */
export interface OpenLookWindow extends LookWindow {
  readonly size: number;
  readonly isStore: boolean;
  readonly before: Buffer;
  readonly events: ReadonlyMap<Tid, PerfEventFd[]>;
}

export interface LookAnswer {
  readonly end: (typeof ENDS)[number];
  /** Who has stopped, with which wait status, if that was the end. */
  readonly stop: { readonly task: Tid; readonly status: number };
  /** So many of the breakpoints were written. */
  readonly written: number;
  /** Nothing has happened in these. */
  readonly over: readonly LookWindow[];
  readonly open: OpenLookWindow | undefined;
  /** To these somebody came when there was no time to look, and has gone on. */
  readonly passed: readonly bigint[];
}

type Library = Readonly<{
  look: (look: number) => number;
  touched: (place: number, registers: number) => bigint;
}>;
let library: Library | undefined;

function load(): Library {
  const loaded = koffi.load(agentLibrary('tracer'));
  return {
    look: loaded.func('int deadheat_look(uintptr_t look)'),
    touched: loaded.func('uint64_t deadheat_touched(uintptr_t place, uintptr_t registers)'),
  };
}

/** `memory`: a descriptor of its /proc/PID/mem, to write to. */
export function quickLook(process: Pid, memory: number): QuickLook | undefined {
  // Without a compiler there may be none: then the other way is slower, and does the same.
  const found = tryTo(() => (library ??= load()));
  return found.ok ? new QuickLook(found.value, process, memory) : undefined;
}

export class QuickLook {
  readonly #library: Library;
  readonly #memory: NativeMemory;
  readonly #words: BigUint64Array;
  readonly #base: number;
  /** Which of the places each is. */
  readonly #places = new Map<bigint, number>();
  readonly #addresses: bigint[] = [];

  constructor(library: Library, process: Pid, memory: number) {
    this.#library = library;
    this.#memory = allocate(ROOM);
    const { bytes, address } = this.#memory;
    this.#base = Number(address);
    this.#words = new BigUint64Array(bytes.buffer, bytes.byteOffset, ROOM / 8);
    this.#set('size', LOOK_SIZE);
    this.#set('process', process);
    this.#set('memory', memory);
    this.#set('places', this.#base + PLACES_AT);
    this.#set('unwritten', this.#base + UNWRITTEN_AT);
    this.#set('threads', this.#base + THREADS_AT);
    this.#set('events', this.#base + EVENTS_AT);
  }

  /** `known`: the code from there on. Where there is no room, it is as if nobody had said so. */
  know(address: bigint, shape: AccessShape, known: Uint8Array): void {
    if (this.#places.has(address) || this.#addresses.length === MOST_PLACES) return;
    assert(shape.size <= MOST_TOUCHED && known.length === KNOWN_BYTES, 'a place that is known');
    const number = this.#addresses.push(address) - 1;
    this.#places.set(address, number);
    writePlace(this.#memory.bytes.subarray(placeAt(number)), address, shape, known);
  }

  forget(address: bigint): void {
    const number = this.#places.get(address);
    if (number === undefined) return;
    const last = this.#addresses.pop()!;
    this.#places.delete(address);
    if (last === address) return;
    this.#addresses[number] = last;
    this.#places.set(last, number);
    const { bytes } = this.#memory;
    const from = placeAt(this.#addresses.length);
    bytes.copyWithin(placeAt(number), from, from + PLACE_SIZE);
  }

  /** Whether there is room for so many. */
  canWatch(threads: number): boolean {
    return threads <= MOST_THREADS;
  }

  look(request: LookRequest): LookAnswer {
    const { threads, unwritten, word } = request;
    assert(unwritten.length <= MOST_PLACES, 'there is room for all breakpoints');
    this.#set('until_ns', Math.max(0, request.untilMs) * NS);
    this.#set('from_ns', Math.max(0, request.fromMs) * NS);
    this.#set('every_ns', request.everyMs * NS);
    this.#set('saved_ns', request.savedMs * NS);
    this.#set('window_ns', request.windowMs * NS);
    this.#words[LookAt.word / 8] = word;
    this.#set('place_count', this.#addresses.length);
    this.#set('thread_count', threads.length);
    this.#set('unwritten_count', unwritten.length);
    for (let i = 0; i < threads.length; i++) this.#words[THREADS_AT / 8 + i] = BigInt(threads[i]!);
    for (let i = 0, to = UNWRITTEN_AT / 8; i < unwritten.length; i++) {
      const { address, atMs } = unwritten[i]!;
      this.#words[to++] = address;
      this.#words[to++] = BigInt(Math.round(Math.max(0, atMs) * NS));
    }
    assert(this.#library.look(this.#base) === 0, 'the tracer’s library is of this version');
    return this.#answer();
  }

  /** As the other side computes it: for tests. */
  touched(address: bigint, registers: Registers): bigint {
    const { bytes } = this.#memory;
    const at = LookAt.windows + WindowAt.registers;
    registers.bytes.copy(bytes, at);
    const place = this.#base + placeAt(this.#places.get(address)!);
    return BigInt(this.#library.touched(place, this.#base + at));
  }

  close(): void {
    release(this.#memory);
  }

  #answer(): LookAnswer {
    const { bytes } = this.#memory;
    const over: LookWindow[] = [];
    let open: OpenLookWindow | undefined;
    for (let index = 0; index < this.#get('window_count'); index++) {
      const window = this.#window(LookAt.windows + index * WINDOW_SIZE);
      if (window.overMs > 0) over.push(window);
      else open = { ...window, ...this.#opened(window.address), events: this.#events() };
    }
    const passed = Array.from({ length: this.#get('passed_count') }, (_, index) => {
      const number = bytes.readUInt16LE(LookAt.passed + 2 * index);
      return this.#addresses[number]!;
    });
    return {
      end: ENDS[this.#get('end')]!,
      stop: { task: tid(this.#get('task')), status: this.#get('status') },
      ...{ written: this.#get('written_count'), over, open, passed },
    };
  }

  #window(at: number): LookWindow {
    const { bytes } = this.#memory;
    const word = (field: keyof typeof WindowAt): bigint => this.#words[(at + WindowAt[field]) / 8]!;
    const registers = at + WindowAt.registers;
    return {
      holder: tid(Number(word('holder'))),
      address: this.#addresses[Number(word('place'))]!,
      touched: word('touched'),
      registers: new Registers(Buffer.from(bytes.subarray(registers, registers + REGISTERS_SIZE))),
      hitMs: Number(word('hit_ns')) / NS,
      openMs: Number(word('open_ns')) / NS,
      overMs: Number(word('over_ns')) / NS,
    };
  }

  #opened(address: bigint): Pick<OpenLookWindow, 'size' | 'isStore' | 'before'> {
    const { bytes } = this.#memory;
    const place = placeAt(this.#places.get(address)!);
    const size = bytes[place + PlaceAt.size]!;
    const isStore = (bytes[place + PlaceAt.flags]! & WRITTEN) !== 0;
    const before = Buffer.from(bytes.subarray(LookAt.before, LookAt.before + size));
    return { size, isStore, before };
  }

  #events(): ReadonlyMap<Tid, PerfEventFd[]> {
    const events = new Map<Tid, PerfEventFd[]>();
    const { bytes } = this.#memory;
    for (let at = EVENTS_AT, left = this.#get('event_count'); left > 0; at += 8, left--) {
      const task = tid(bytes.readUInt32LE(at));
      const fd = bytes.readUInt32LE(at + 4) as PerfEventFd;
      events.set(task, [...(events.get(task) ?? []), fd]);
    }
    return events;
  }

  #get(field: keyof typeof LookAt): number {
    return Number(this.#words[LookAt[field] / 8]);
  }

  #set(field: keyof typeof LookAt, value: number): void {
    this.#words[LookAt[field] / 8] = BigInt(Math.round(value));
  }
}

const PLACES_AT = LOOK_SIZE;
const UNWRITTEN_AT = PLACES_AT + MOST_PLACES * PLACE_SIZE;
const THREADS_AT = UNWRITTEN_AT + MOST_PLACES * 16;
const EVENTS_AT = THREADS_AT + MOST_THREADS * 8;
const ROOM = EVENTS_AT + MOST_THREADS * PIECES * 8;

const placeAt = (number: number): number => PLACES_AT + number * PLACE_SIZE;

function writePlace(to: Buffer, address: bigint, shape: AccessShape, known: Uint8Array): void {
  const { base, index, segment, scale, displacement, size, isStore } = shape;
  to.writeBigUInt64LE(address, PlaceAt.address);
  to.writeBigUInt64LE(BigInt.asUintN(64, displacement), PlaceAt.displacement);
  to[PlaceAt.base] = numberOf(base);
  to[PlaceAt.index] = numberOf(index);
  to[PlaceAt.segment] = numberOf(segment);
  to[PlaceAt.scale] = scale;
  to[PlaceAt.size] = size;
  to[PlaceAt.flags] = isStore ? WRITTEN : 0;
  to.set(known, PlaceAt.known);
}

const numberOf = (register: RegisterName | undefined): number =>
  register === undefined ? NO_REGISTER : registerWord(register);
