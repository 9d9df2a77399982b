/**
 * All units of .debug_info. References lead from one to another (link time optimisation, `dwz`), so a
 * unit is found by any offset within it.
 */
import { firstIndex } from '../../base/bisect.ts';
import { BadBinary } from '../byte-reader.ts';
import { type Abbreviations, readAbbreviations } from './abbreviations.ts';
import type { Entry } from './entry.ts';
import { sectionReader } from './section-reader.ts';
import type { DebugSections } from './sections.ts';
import { Unit } from './unit.ts';
import { readUnitHeader, type UnitHeader } from './unit-header.ts';

export class Units {
  readonly sections: DebugSections;
  readonly list: Unit[] = [];
  /** Why the list ends before .debug_info does. */
  readonly damage: BadBinary | undefined;
  readonly #abbreviations = new Map<string, Abbreviations>();
  #types: Map<bigint, number> | undefined;

  constructor(sections: DebugSections) {
    this.sections = sections;
    const reader = sectionReader(sections, 'debugInfo');
    try {
      while (reader && reader.left > 0) this.list.push(new Unit(this, readUnitHeader(reader)));
    } catch (thrown) {
      if (!(thrown instanceof BadBinary)) throw thrown;
      this.damage = thrown;
    }
  }

  /** Undefined if no unit has an entry there. */
  entryAt(offset: number): Entry | undefined {
    const unit = this.list[firstIndex(this.list, ({ header }) => header.end > offset)];
    return unit && offset >= unit.header.entriesAt ? unit.entryAt(offset) : undefined;
  }

  /** Units of the same file mostly have tables of their own; after link time optimisation they share. */
  abbreviationsOf({ abbreviationsAt, encoding }: UnitHeader): Abbreviations {
    const { version, addressSize, offsetSize } = encoding;
    const key = [abbreviationsAt, version, addressSize, offsetSize].join();
    let known = this.#abbreviations.get(key);
    if (!known) {
      known = readAbbreviations(this.sections, abbreviationsAt, encoding);
      this.#abbreviations.set(key, known);
    }
    return known;
  }

  /** Where the type is whose signature stands at this offset; those of DWARF 4 are in a section that is not read. */
  typeOf(signatureAt: number): number | undefined {
    this.#types ??= new Map(
      this.list
        .filter(({ header }) => header.signature !== undefined)
        .map(({ header }) => [header.signature!, header.typeAt]),
    );
    const signature = sectionReader(this.sections, 'debugInfo', signatureAt)?.bigU64();
    return signature === undefined ? undefined : this.#types.get(signature);
  }
}
