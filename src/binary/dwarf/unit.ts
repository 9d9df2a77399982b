/**
 * One unit of .debug_info: what its header and its first entry say, and the way to its other entries.
 * Read when asked for: of a program with a thousand units, mostly a handful is of interest.
 */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import type { Abbreviation, Abbreviations } from './abbreviations.ts';
import { Entry } from './entry.ts';
import { Attribute } from './numbers.ts';
import type { DebugSections } from './sections.ts';
import type { UnitHeader } from './unit-header.ts';
import type { Units } from './units.ts';

export class Unit {
  readonly units: Units;
  readonly header: UnitHeader;
  #abbreviations: Abbreviations | undefined;
  #root: Entry | undefined;

  constructor(units: Units, header: UnitHeader) {
    this.units = units;
    this.header = header;
  }

  get sections(): DebugSections {
    return this.units.sections;
  }

  /** The first entry, which all others are children of. */
  get root(): Entry {
    this.#root ??= this.entryAt(this.header.entriesAt);
    return this.#root;
  }

  /** Where its part of .debug_str_offsets begins: behind a header, unless it says otherwise. */
  get strOffsetsBase(): number {
    const behindHeader = this.header.encoding.offsetSize * 2;
    return this.root.sectionOffset(Attribute.strOffsetsBase) ?? behindHeader;
  }

  get addressBase(): number {
    return (
      this.root.sectionOffset(Attribute.addrBase) ??
      this.root.sectionOffset(Attribute.gnuAddrBase) ??
      this.header.encoding.offsetSize + 4
    );
  }

  /** Where the offsets of its range lists are. */
  get rangeListsBase(): number {
    const behindHeader = this.header.encoding.offsetSize * 2 + 4;
    return this.root.sectionOffset(Attribute.rnglistsBase) ?? behindHeader;
  }

  /** A reader of this unit's bytes, by offsets of .debug_info. */
  reader(at: number, end = this.header.end): ByteReader {
    const within = Math.min(end, this.header.end);
    return new ByteReader(this.sections.debugInfo!, at, within, '.debug_info');
  }

  abbreviation(code: number, at: number): Abbreviation {
    this.#abbreviations ??= this.units.abbreviationsOf(this.header);
    const abbreviation = this.#abbreviations.get(code);
    if (abbreviation) return abbreviation;
    throw new BadBinary(`the entry at ${hex(at)} of .debug_info has no abbreviation ${code}`);
  }

  entryAt(offset: number): Entry {
    const reader = this.reader(offset);
    const abbreviation = this.abbreviation(reader.uleb(), offset);
    return new Entry(this, offset, abbreviation, reader);
  }
}
