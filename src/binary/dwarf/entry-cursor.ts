/**
 * Goes through the entries of a unit in the order in which they are written, parents before children,
 * without reading their attributes:
 *
 *   DW_TAG_compile_unit            depth 0
 *     DW_TAG_subprogram main       depth 1
 *       DW_TAG_variable i          depth 2
 *     DW_TAG_base_type int         depth 1
 *
 * No recursion: a damaged file may nest as deeply as it is long.
 */
import type { ByteReader } from '../byte-reader.ts';
import type { Abbreviation } from './abbreviations.ts';
import { Entry } from './entry.ts';
import { skipValue } from './forms.ts';
import { Attribute } from './numbers.ts';
import type { Unit } from './unit.ts';

export class EntryCursor {
  readonly #unit: Unit;
  readonly #reader: ByteReader;
  #abbreviation: Abbreviation | undefined;
  #attributesAt = 0;
  #nextDepth = 0;
  /** Of the entry that it is at. */
  offset = 0;
  depth = 0;

  /** At nothing yet; `next` goes to the entry at this offset. */
  constructor(unit: Unit, from = unit.header.entriesAt) {
    this.#unit = unit;
    this.#reader = unit.reader(from);
  }

  get abbreviation(): Abbreviation {
    return this.#abbreviation!;
  }

  get tag(): number {
    return this.#abbreviation!.tag;
  }

  /** False behind the last entry, which is the first one's last descendant. */
  next(): boolean {
    const reader = this.#reader;
    if (this.#abbreviation && this.#nextDepth === 0) return false;
    for (;;) {
      // Some linkers pad the last unit, or leave out the zeros that end its lists.
      if (reader.left === 0) return false;
      this.offset = reader.at;
      const code = reader.uleb();
      if (code !== 0) return this.#enter(code);
      if (--this.#nextDepth <= 0) return false;
    }
  }

  /** Goes on behind the children of this entry. */
  skipChildren(): void {
    if (!this.abbreviation.hasChildren) return;
    const sibling = this.entry().reference(Attribute.sibling);
    // Backwards would be a loop.
    if (sibling !== undefined && sibling >= this.#reader.at && sibling <= this.#reader.end) {
      this.#reader.at = sibling;
      this.#nextDepth = this.depth;
      return;
    }
    const depth = this.depth;
    const reader = this.#reader;
    while (this.#nextDepth > depth && reader.left > 0) {
      this.offset = reader.at;
      const code = reader.uleb();
      if (code !== 0) this.#enter(code);
      else this.#nextDepth--;
    }
    this.depth = depth;
  }

  /** The entry with its attributes. */
  entry(): Entry {
    const reader = this.#unit.reader(this.#attributesAt);
    return new Entry(this.#unit, this.offset, this.#abbreviation!, reader);
  }

  #enter(code: number): true {
    const abbreviation = this.#unit.abbreviation(code, this.offset);
    const reader = this.#reader;
    this.#abbreviation = abbreviation;
    this.#attributesAt = reader.at;
    this.depth = this.#nextDepth;
    if (abbreviation.hasChildren) this.#nextDepth++;
    if (abbreviation.fixedSize !== undefined) reader.skip(abbreviation.fixedSize);
    else
      for (const { form } of abbreviation.attributes)
        skipValue(reader, form, this.#unit.header.encoding);
    return true;
  }
}
