/**
 * Names and paths, which stand in one of three sections, in the entry itself, or in a file that `dwz` made
 * and that is not read: undefined.
 */
import type { ByteReader } from '../byte-reader.ts';
import { readOffset } from './encoding.ts';
import { Form } from './numbers.ts';
import { sectionReader } from './section-reader.ts';
import type { DebugSections } from './sections.ts';
import type { Unit } from './unit.ts';

/** What an attribute of this form and value says. */
export function readText(unit: Unit, form: number, value: number): string | undefined {
  switch (form) {
    case Form.string:
      return unit.reader(value).cString();
    case Form.strp:
      return textAt(unit.sections, 'debugStr', value);
    case Form.lineStrp:
      return textAt(unit.sections, 'debugLineStr', value);
    case Form.strx:
    case Form.strx1:
    case Form.strx2:
    case Form.strx3:
    case Form.strx4:
      return indexedText(unit, value);
    default:
      return undefined;
  }
}

/** Reads the text itself where another part of the file keeps it, as the headers of line programs do. */
export function readTextOfForm(
  sections: DebugSections,
  reader: ByteReader,
  form: number,
  offsetSize: number,
): string | undefined {
  switch (form) {
    case Form.string:
      return reader.cString();
    case Form.strp:
      return textAt(sections, 'debugStr', readOffset(reader, offsetSize));
    case Form.lineStrp:
      return textAt(sections, 'debugLineStr', readOffset(reader, offsetSize));
    default:
      return undefined;
  }
}

const textAt = (
  sections: DebugSections,
  section: 'debugStr' | 'debugLineStr',
  at: number,
): string | undefined => sectionReader(sections, section, at)?.cString();

function indexedText(unit: Unit, index: number): string | undefined {
  const { offsetSize } = unit.header.encoding;
  const at = unit.strOffsetsBase + index * offsetSize;
  const reader = sectionReader(unit.sections, 'debugStrOffsets', at);
  return reader && textAt(unit.sections, 'debugStr', readOffset(reader, offsetSize));
}
