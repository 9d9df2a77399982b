/** Readers of one section, which say its name when something is wrong. */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import { type DebugSections, SECTION_NAMES } from './sections.ts';

/** Undefined if the file has no such section. A place outside of it is `BadBinary`. */
export function sectionReader(
  sections: DebugSections,
  section: keyof DebugSections,
  at = 0,
  end?: number,
): ByteReader | undefined {
  const bytes = sections[section];
  if (!bytes) return undefined;
  const name = SECTION_NAMES[section];
  if (at > bytes.length) throw new BadBinary(`${hex(at)} is beyond the end of ${name}`);
  return new ByteReader(bytes, at, end ?? bytes.length, name);
}
