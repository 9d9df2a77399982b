/**
 * The build-id: a hash of the program's contents that the linker puts into a note, and that debug files
 * share with their programs. In hexadecimal, as `file` shows it.
 */
import { ByteReader } from '../byte-reader.ts';
import { BUILD_ID_NOTE, SectionType, SegmentType } from './constants.ts';
import type { ElfFile } from './elf-file.ts';

export function readBuildId(elf: ElfFile): string | undefined {
  for (const { bytes, align } of noteAreas(elf)) {
    const found = buildIdInNotes(bytes, align);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sections first: a debug file's segments are about the program's file, not its own. */
function noteAreas(elf: ElfFile): { bytes: Uint8Array; align: number }[] {
  const sections = elf.sections.filter(({ type }) => type === SectionType.note);
  if (sections.length > 0) {
    return sections.map((section) => ({
      bytes: elf.contentOf(section),
      align: section.name === '.note.gnu.property' ? 8 : 4,
    }));
  }
  if (elf.isDebugFile) return [];
  return elf.segments
    .filter(({ type }) => type === SegmentType.note)
    .map(({ offset, sizeInFile, align }) => {
      const notes = new ByteReader(elf.bytes, offset, offset + sizeInFile, 'the notes');
      return { bytes: notes.bytes(sizeInFile), align };
    });
}

/** Of one segment, or section, of notes. */
export const buildIdInNotes = (bytes: Uint8Array, align: number): string | undefined =>
  buildIdAmong(new ByteReader(bytes, 0, bytes.length, 'the notes'), align === 8 ? 8 : 4);

/** Each note: sizes of name and content, type, then both, each padded. */
function buildIdAmong(reader: ByteReader, align: number): string | undefined {
  while (reader.left >= 12) {
    const nameSize = reader.u32();
    const size = reader.u32();
    const type = reader.u32();
    const name = Buffer.from(reader.bytes(nameSize)).toString('latin1');
    padTo(reader, align);
    const content = reader.bytes(size);
    if (type === BUILD_ID_NOTE && name === 'GNU\0') return Buffer.from(content).toString('hex');
    padTo(reader, align);
  }
  return undefined;
}

/** The last note's padding may be missing. */
function padTo(reader: ByteReader, align: number): void {
  reader.skip(Math.min(reader.left, (align - (reader.at % align)) % align));
}
