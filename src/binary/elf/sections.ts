/**
 * The section headers: the named parts of the file. A program runs without them, so a file may have
 * none; whoever looks for something then goes by the segments.
 */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { IN_FIRST_SECTION, SectionType } from './constants.ts';
import { type FileHeader, SECTION_HEADER_SIZE } from './header.ts';

export interface Section {
  name: string;
  /** One of `SectionType`, or another. */
  type: number;
  /** Of `SectionFlag`. */
  flags: number;
  /** 0 if it is not loaded. */
  address: ImageAddress;
  offset: number;
  size: number;
  /** Another section: for symbols, that with their names. */
  link: number;
  entrySize: number;
}

interface Unnamed extends Section {
  nameAt: number;
}

export function readSections(file: Uint8Array, header: FileHeader): Section[] {
  const { offset } = header.sections;
  if (offset === 0) return [];
  // More than fit in the header's 16 bits: the true numbers are in the first section's own header.
  const first = readSection(tableReader(file, offset, 1));
  const count = header.sections.count === 0 ? first.size : header.sections.count;
  const reader = tableReader(file, offset, count);
  const sections: Unnamed[] = Array.from({ length: count }, () => readSection(reader));
  const names = header.sectionNames === IN_FIRST_SECTION ? first.link : header.sectionNames;
  nameAll(file, sections, names);
  return sections;
}

function tableReader(file: Uint8Array, offset: number, count: number): ByteReader {
  const end = offset + count * SECTION_HEADER_SIZE;
  if (end > file.length) {
    throw new BadBinary(
      `it is cut short: its section headers at ${hex(offset)} are outside the file`,
    );
  }
  return new ByteReader(file, offset, end, 'the section headers');
}

function readSection(reader: ByteReader): Unnamed {
  const nameAt = reader.u32();
  const type = reader.u32();
  const flags = reader.u64();
  const address = imageAddress(reader.u64());
  const offset = reader.u64();
  const size = reader.u64();
  const link = reader.u32();
  reader.skip(12);
  return { name: '', nameAt, type, flags, address, offset, size, link, entrySize: reader.u64() };
}

function nameAll(file: Uint8Array, sections: Unnamed[], namesIndex: number): void {
  if (namesIndex === 0) return;
  const names = sections[namesIndex];
  if (names === undefined) throw new BadBinary(`there is no section ${namesIndex} with names`);
  const bytes = bytesInFile(file, names);
  for (const section of sections) {
    section.name = new ByteReader(bytes, section.nameAt, bytes.length, 'section names').cString();
  }
}

/** As in the file, so perhaps compressed; nothing if it takes no room there. */
export function bytesInFile(file: Uint8Array, section: Section): Uint8Array {
  const { name, type, offset, size } = section;
  if (type === SectionType.noBits) return new Uint8Array();
  if (offset + size > file.length) {
    const place = `${hex(size)} bytes at ${hex(offset)}`;
    throw new BadBinary(`section ${name} (${place}) is outside the file`);
  }
  return file.subarray(offset, offset + size);
}
