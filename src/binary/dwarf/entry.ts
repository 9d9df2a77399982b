/**
 * One entry of .debug_info, with the values of its attributes as `forms.ts` makes them, and what these
 * mean. What has an unexpected form (a location that is a list, say) is undefined, like what is missing.
 *
 *   entry.tag === Tag.variable
 *   entry.text(Attribute.name)          // 'counter'
 *   entry.reference(Attribute.type)     // 0x2d: the offset of the entry that describes `int`
 */
import type { ByteReader } from '../byte-reader.ts';
import type { Abbreviation } from './abbreviations.ts';
import { indexedAddress } from './address-table.ts';
import { ELSEWHERE, readBlockLength, readIndirectForm, readValue } from './forms.ts';
import { Form } from './numbers.ts';
import { readText } from './text.ts';
import type { Unit } from './unit.ts';

export class Entry {
  readonly unit: Unit;
  readonly offset: number;
  readonly #abbreviation: Abbreviation;
  readonly #forms: number[] = [];
  readonly #values: number[] = [];

  /** The reader is at the attributes, and then behind them. */
  constructor(unit: Unit, offset: number, abbreviation: Abbreviation, reader: ByteReader) {
    this.unit = unit;
    this.offset = offset;
    this.#abbreviation = abbreviation;
    const { encoding, at } = unit.header;
    for (const one of abbreviation.attributes) {
      const form = one.form === Form.indirect ? readIndirectForm(reader) : one.form;
      this.#forms.push(form);
      this.#values.push(
        form === Form.implicitConst ? one.constant : readValue(reader, form, encoding, at),
      );
    }
  }

  get tag(): number {
    return this.#abbreviation.tag;
  }

  get hasChildren(): boolean {
    return this.#abbreviation.hasChildren;
  }

  has(attribute: number): boolean {
    return this.#indexOf(attribute) >= 0;
  }

  /** A constant. */
  number(attribute: number): number | undefined {
    const i = this.#indexOf(attribute);
    return i >= 0 && CONSTANTS.has(this.#forms[i]!) ? this.#values[i] : undefined;
  }

  /** A place in another section. DWARF 2 and 3 write it as a constant. */
  sectionOffset(attribute: number): number | undefined {
    const i = this.#indexOf(attribute);
    return i >= 0 && SECTION_OFFSETS.has(this.#forms[i]!) ? this.#values[i] : undefined;
  }

  /** The index of a range list. */
  rangeListIndex(attribute: number): number | undefined {
    const i = this.#indexOf(attribute);
    return i >= 0 && this.#forms[i] === Form.rnglistx ? this.#values[i] : undefined;
  }

  isTrue(attribute: number): boolean {
    const i = this.#indexOf(attribute);
    return i >= 0 && this.#values[i] !== 0;
  }

  address(attribute: number): number | undefined {
    const i = this.#indexOf(attribute);
    if (i < 0) return undefined;
    const form = this.#forms[i]!;
    if (form === Form.addr) return this.#values[i];
    return ADDRESS_INDEXES.has(form) ? indexedAddress(this.unit, this.#values[i]!) : undefined;
  }

  text(attribute: number): string | undefined {
    const i = this.#indexOf(attribute);
    return i < 0 ? undefined : readText(this.unit, this.#forms[i]!, this.#values[i]!);
  }

  /** The offset in .debug_info of another entry, perhaps of another unit. */
  reference(attribute: number): number | undefined {
    const i = this.#indexOf(attribute);
    if (i < 0 || this.#values[i] === ELSEWHERE) return undefined;
    const form = this.#forms[i]!;
    if (form === Form.refSig8) return this.unit.units.typeOf(this.#values[i]!);
    return REFERENCES.has(form) ? this.#values[i] : undefined;
  }

  /** A reader of the bytes of a block or an expression. */
  block(attribute: number): ByteReader | undefined {
    const i = this.#indexOf(attribute);
    if (i < 0 || !BLOCKS.has(this.#forms[i]!)) return undefined;
    const reader = this.unit.reader(this.#values[i]!);
    const length = readBlockLength(reader, this.#forms[i]!);
    return this.unit.reader(reader.at, reader.at + length);
  }

  #indexOf(attribute: number): number {
    return this.#abbreviation.attributes.findIndex((one) => one.attribute === attribute);
  }
}

const CONSTANTS: ReadonlySet<number> = new Set([
  Form.data1,
  Form.data2,
  Form.data4,
  Form.data8,
  Form.sdata,
  Form.udata,
  Form.implicitConst,
]);
const SECTION_OFFSETS: ReadonlySet<number> = new Set([Form.secOffset, Form.data4, Form.data8]);
const ADDRESS_INDEXES: ReadonlySet<number> = new Set([
  Form.addrx,
  Form.addrx1,
  Form.addrx2,
  Form.addrx3,
  Form.addrx4,
  Form.gnuAddrIndex,
]);
const REFERENCES: ReadonlySet<number> = new Set([
  Form.refAddr,
  Form.ref1,
  Form.ref2,
  Form.ref4,
  Form.ref8,
  Form.refUdata,
]);
const BLOCKS: ReadonlySet<number> = new Set([
  Form.block,
  Form.block1,
  Form.block2,
  Form.block4,
  Form.exprloc,
]);
