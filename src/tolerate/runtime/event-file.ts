/**
 * The file that the library in the program (agent/tolerate/events.h) and we both map: what it is to do, and an
 * entry for each race that it has seen.
 *
 *   const file = EventFile.create(path, { detects: false, halts: false, isBlind: false });
 *   …the program runs…
 *   file.events()     // [{ section: 3, address: 0x5581…, race: 'IVb', kept: 'own', count: 12n, … }]
 */
import { closeSync, openSync } from 'node:fs';
import { encodeBytes } from '../../base/bytes.ts';
import { allocateFile } from '../../linux/allocate-file.ts';
import { mapShared, type NativeMemory, release } from '../../linux/native-memory.ts';
import type { RaceClass } from '../race-class.ts';

/** Environment variable that names the file. */
export const EVENT_FILE_VARIABLE = 'DEADHEAT_TOLERATE';
const MAGIC = 0x45_4c_4f_54;
const VERSION = 1;
const EVENTS = 4096;
const HEADER_SIZE = 64;
const EVENT_SIZE = 64;
const SIZE = HEADER_SIZE + EVENTS * EVENT_SIZE;

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
} as const;

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

  events(): RaceEvent[] {
    const { bytes } = this.#memory;
    const found: RaceEvent[] = [];
    for (let at = HEADER_SIZE; at < SIZE; at += EVENT_SIZE) {
      if (bytes.readUInt32LE(at + EventAt.state) !== COMPLETE) continue;
      const u64 = (offset: number): bigint => bytes.readBigUInt64LE(at + offset);
      const race = RACES.get(bytes.readUInt8(at + EventAt.race));
      if (race === undefined) continue;
      found.push({
        section: bytes.readUInt32LE(at + EventAt.section),
        pid: bytes.readUInt32LE(at + EventAt.pid),
        race,
        kept: bytes.readUInt8(at + EventAt.kept) === 0 ? 'current' : 'own',
        isTolerated: bytes.readUInt8(at + EventAt.tolerated) !== 0,
        address: u64(EventAt.address),
        size: bytes.readUInt8(at + EventAt.size),
        original: u64(EventAt.original),
        own: u64(EventAt.ours),
        current: u64(EventAt.theirs),
        count: u64(EventAt.count),
      });
    }
    return found;
  }

  close(): void {
    release(this.#memory);
  }
}
