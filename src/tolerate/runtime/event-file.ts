/**
 * The file that the library in the program (agent/tolerate/events.h) and we both map: what it is to do, and an
 * entry for each race that it has seen.
 *
 *   const file = EventFile.create(path, { detects: false, halts: false, isBlind: false });
 *   …the program runs…
 *   file.events()     // [{ section: 3, address: 0x5581…, race: 'IVb', kept: 'own', count: 12n, … }]
 *
 * Words that are watched (`watch`) are sighted by the program: who had a copy, and between which times somebody
 * else has changed it.
 */
import { closeSync, openSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { allocateFile } from '../../linux/allocate-file.ts';
import { mapShared, type NativeMemory, release } from '../../linux/native-memory.ts';
import type { RaceClass } from '../race-class.ts';

/** Environment variable that names the file. */
export const EVENT_FILE_VARIABLE = 'DEADHEAT_TOLERATE';
const MAGIC = 0x45_4c_4f_54;
const VERSION = 2;
const EVENTS = 4096;
const HEADER_SIZE = 128;
const EVENT_SIZE = 64;
const SIGHTINGS = 64;
const SIGHTING_SIZE = 64;
const SIGHTINGS_AT = HEADER_SIZE + EVENTS * EVENT_SIZE;
const SIZE = SIGHTINGS_AT + SIGHTINGS * SIGHTING_SIZE;

/** struct dh_tolerate_file */
const HeaderAt = {
  magic: 0,
  version: 4,
  options: 8,
  prepared: 12,
  image: 16,
  lost: 24,
  refused: 32,
  error: 36,
  halted: 40,
  repeated: 44,
  sighted: 48,
  unpatched: 56,
  outside: 60,
  watchedCount: 64,
  watchedWords: 72,
} as const;
/** As many as a processor has debug registers. */
export const MOST_WATCHED = 4;
const WORD = 8;

/** struct dh_tolerate_event */
const EventAt = {
  state: 0,
  section: 4,
  pid: 8,
  race: 12,
  kept: 13,
  tolerated: 14,
  size: 15,
  address: 16,
  original: 24,
  ours: 32,
  theirs: 40,
  count: 48,
  lastPid: 56,
  thread: 60,
} as const;

/** struct dh_tolerate_sighting */
const SightingAt = {
  number: 0,
  pid: 8,
  thread: 12,
  section: 16,
  address: 24,
  since: 32,
  until: 40,
} as const;
const COMPLETE = 2;

/** enum dh_tolerate_option */
const OptionBit = { detect: 1, halt: 2, blind: 4 } as const;

export interface TolerateMode {
  /** Only tell; memory becomes what it would have become. */
  readonly detects: boolean;
  /** End the program at a race that cannot be tolerated. */
  readonly halts: boolean;
  /** Those who ignore locks are known never to read a variable before they write it. */
  readonly isBlind: boolean;
}

export interface RaceEvent {
  readonly section: number;
  readonly pid: number;
  /** Whose section it was, when it was first seen. */
  readonly thread: number;
  readonly race: RaceClass;
  /** Whose value memory has afterwards. */
  readonly kept: 'own' | 'current';
  readonly isTolerated: boolean;
  readonly address: bigint;
  /** In bytes. */
  readonly size: number;
  readonly original: bigint;
  readonly own: bigint;
  readonly current: bigint;
  readonly count: bigint;
  /** The process in which it was seen last. */
  readonly lastPid: number;
}

/** Somebody has changed a watched variable while a section had a copy. */
export interface Sighting {
  readonly section: number;
  readonly address: bigint;
  /** Whose section it was. */
  readonly pid: number;
  readonly thread: number;
  /** The change was after the one and before the other: CLOCK_MONOTONIC, in nanoseconds. */
  readonly since: bigint;
  readonly until: bigint;
}

/** enum deadheat_race_class, include/deadheat/tolerate.h */
const RACES: ReadonlyMap<number, RaceClass> = new Map([
  [1, 'I'],
  [3, 'III'],
  [4, 'IVa'],
  [5, 'IVb'],
  [6, 'IVc'],
]);

export class EventFile {
  readonly #memory: NativeMemory;
  /** The last sighting that was taken. */
  #sighted = 0;

  constructor(memory: NativeMemory) {
    this.#memory = memory;
  }

  static create(path: string, { detects, halts, isBlind }: TolerateMode): EventFile {
    const fd = openSync(encodeBytes(path), 'wx+', 0o600);
    try {
      // Not a hole: if the disk is full, we must notice, and not the program that writes into it.
      allocateFile(fd, SIZE);
      const memory = mapShared(fd, SIZE);
      const options =
        (detects ? OptionBit.detect : 0) |
        (halts ? OptionBit.halt : 0) |
        (isBlind ? OptionBit.blind : 0);
      memory.bytes.writeUInt32LE(options, HeaderAt.options);
      memory.bytes.writeUInt32LE(VERSION, HeaderAt.version);
      memory.bytes.writeUInt32LE(MAGIC, HeaderAt.magic);
      return new EventFile(memory);
    } finally {
      closeSync(fd);
    }
  }

  /** In how many processes sections were isolated. */
  get prepared(): number {
    return this.#memory.bytes.readUInt32LE(HeaderAt.prepared);
  }

  /** In how many they could not be, and the errno that says why. */
  get refused(): { readonly processes: number; readonly errno: number } {
    const { bytes } = this.#memory;
    return {
      processes: bytes.readUInt32LE(HeaderAt.refused),
      errno: bytes.readUInt32LE(HeaderAt.error),
    };
  }

  /** Sections that have clones, but could not be given them. */
  get unpatched(): number {
    return this.#memory.bytes.readUInt32LE(HeaderAt.unpatched);
  }

  /** Threads that were in sections which could not be isolated there and then: see agent/tolerate/sections.c. */
  get outside(): number {
    return this.#memory.bytes.readUInt32LE(HeaderAt.outside);
  }

  /** Where the program was loaded. */
  get image(): bigint {
    return this.#memory.bytes.readBigUInt64LE(HeaderAt.image);
  }

  /** Races that had no room. */
  get lost(): number {
    return Number(this.#memory.bytes.readBigUInt64LE(HeaderAt.lost));
  }

  get isHalted(): boolean {
    return this.#memory.bytes.readUInt32LE(HeaderAt.halted) !== 0;
  }

  /** How many events there are. */
  get count(): number {
    const { bytes } = this.#memory;
    let count = 0;
    for (let at = HEADER_SIZE; at < SIGHTINGS_AT; at += EVENT_SIZE)
      if (bytes.readUInt32LE(at + EventAt.state) === COMPLETE) count++;
    return count;
  }

  events(): RaceEvent[] {
    const { bytes } = this.#memory;
    const found: RaceEvent[] = [];
    for (let at = HEADER_SIZE; at < SIGHTINGS_AT; at += EVENT_SIZE) {
      if (bytes.readUInt32LE(at + EventAt.state) !== COMPLETE) continue;
      const u64 = (offset: number): bigint => bytes.readBigUInt64LE(at + offset);
      const race = RACES.get(bytes.readUInt8(at + EventAt.race));
      if (race === undefined) continue;
      found.push({
        section: bytes.readUInt32LE(at + EventAt.section),
        pid: bytes.readUInt32LE(at + EventAt.pid),
        thread: bytes.readUInt32LE(at + EventAt.thread),
        race,
        kept: bytes.readUInt8(at + EventAt.kept) === 0 ? 'current' : 'own',
        isTolerated: bytes.readUInt8(at + EventAt.tolerated) !== 0,
        address: u64(EventAt.address),
        size: bytes.readUInt8(at + EventAt.size),
        original: u64(EventAt.original),
        own: u64(EventAt.ours),
        current: u64(EventAt.theirs),
        count: u64(EventAt.count),
        lastPid: bytes.readUInt32LE(at + EventAt.lastPid),
      });
    }
    return found;
  }

  /** How many events were seen a second time. */
  get repeated(): number {
    return this.#memory.bytes.readUInt32LE(HeaderAt.repeated);
  }

  /** By the addresses of variables, each within a word; at most MOST_WATCHED. */
  watch(addresses: readonly bigint[]): void {
    const { bytes } = this.#memory;
    for (let place = 0; place < MOST_WATCHED; place++) {
      const address = addresses[place] ?? 0n;
      bytes.writeBigUInt64LE(
        address - (address % BigInt(WORD)),
        HeaderAt.watchedWords + place * WORD,
      );
    }
    bytes.writeUInt32LE(addresses.length, HeaderAt.watchedCount);
  }

  /** Those since the last call, as far as there was room for them. */
  takeSightings(): Sighting[] {
    const { bytes } = this.#memory;
    const last = Number(bytes.readBigUInt64LE(HeaderAt.sighted));
    const found: Sighting[] = [];
    for (let n = Math.max(this.#sighted + 1, last - SIGHTINGS + 1); n <= last; n++) {
      const at = SIGHTINGS_AT + (n % SIGHTINGS) * SIGHTING_SIZE;
      const u32 = (offset: number): number => bytes.readUInt32LE(at + offset);
      const u64 = (offset: number): bigint => bytes.readBigUInt64LE(at + offset);
      const sighting = {
        number: u64(SightingAt.number),
        ...{ pid: u32(SightingAt.pid), thread: u32(SightingAt.thread) },
        ...{ section: u32(SightingAt.section), address: u64(SightingAt.address) },
        ...{ since: u64(SightingAt.since), until: u64(SightingAt.until) },
      };
      // Another may be on its way into the same place.
      const isWhole = sighting.number === BigInt(n) && u64(SightingAt.number) === BigInt(n);
      if (isWhole) found.push(sighting);
    }
    this.#sighted = last;
    return found;
  }

  close(): void {
    release(this.#memory);
  }
}
