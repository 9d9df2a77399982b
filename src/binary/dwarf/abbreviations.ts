/**
 * The abbreviations of a unit: each entry of .debug_info begins with the number of one, which says what
 * the entry is and which attributes follow, in which form.
 *
 *   7  DW_TAG_variable, no children:  DW_AT_name strp · DW_AT_type ref4 · DW_AT_location exprloc
 */
import { BadBinary, hex } from '../byte-reader.ts';
import type { Encoding } from './encoding.ts';
import { sizeOfForm } from './forms.ts';
import { Form } from './numbers.ts';
import { sectionReader } from './section-reader.ts';
import type { DebugSections } from './sections.ts';

export interface AttributeForm {
  readonly attribute: number;
  readonly form: number;
  /** The value, if the form is DW_FORM_implicit_const. */
  readonly constant: number;
}

export interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly AttributeForm[];
  /** Of all attributes together, if that is the same for each entry: most are passed over in one step. */
  readonly fixedSize: number | undefined;
}

export type Abbreviations = ReadonlyMap<number, Abbreviation>;

/** Compilers write thirty at most. */
const MOST_ATTRIBUTES = 1000;

export const hasAttribute = (abbreviation: Abbreviation, attribute: number): boolean =>
  abbreviation.attributes.some((one) => one.attribute === attribute);

export function readAbbreviations(
  sections: DebugSections,
  at: number,
  encoding: Encoding,
): Abbreviations {
  const reader = sectionReader(sections, 'debugAbbrev', at);
  if (!reader) throw new BadBinary('.debug_info without .debug_abbrev');
  const abbreviations = new Map<number, Abbreviation>();
  for (;;) {
    const code = reader.uleb();
    if (code === 0) return abbreviations;
    const tag = reader.uleb();
    const hasChildren = reader.u8() !== 0;
    const attributes: AttributeForm[] = [];
    for (;;) {
      const attribute = reader.uleb();
      const form = reader.uleb();
      const constant = form === Form.implicitConst ? reader.sleb() : 0;
      if (attribute === 0 && form === 0) break;
      attributes.push({ attribute, form, constant });
      if (attributes.length > MOST_ATTRIBUTES)
        throw new BadBinary(`the abbreviation before ${hex(reader.at)} has too many attributes`);
    }
    const fixedSize = sizeOfAll(attributes, encoding);
    abbreviations.set(code, { tag, hasChildren, attributes, fixedSize });
  }
}

function sizeOfAll(attributes: readonly AttributeForm[], encoding: Encoding): number | undefined {
  let total = 0;
  for (const { form } of attributes) {
    const size = sizeOfForm(form, encoding);
    if (size < 0) return undefined;
    total += size;
  }
  return total;
}
