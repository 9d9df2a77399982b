/**
 * The symbols of a kernel's ELF file, vmlinux: those of its table `.symtab`. (src/binary/elf/ is for programs, whose
 * addresses are small; a kernel's take all 64 bits.)
 */
import { BadBinary, ByteReader } from '../../binary/byte-reader.ts';
import type { KernelSymbol } from './symbols.ts';

const ELF = 0x464c457f;
const SYMBOL_TABLE = 2;
const SYMBOL_SIZE = 24;
const EXECUTABLE = 4n;
const WRITABLE = 1n;
const Info = { object: 1, function: 2, section: 3, file: 4 } as const;

interface Section {
  readonly type: number;
  readonly flags: bigint;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

export const isElf = (bytes: Uint8Array): boolean =>
  bytes.length >= 64 && new ByteReader(bytes).u32() === ELF;

export function readVmlinux(bytes: Uint8Array): KernelSymbol[] {
  const sections = sectionsOf(bytes);
  const table = sections.find(({ type }) => type === SYMBOL_TABLE);
  const strings = table && sections[table.link];
  if (table === undefined || strings === undefined) {
    throw new BadBinary('it has no symbols: it was stripped');
  }
  const reader = new ByteReader(bytes, table.offset, table.offset + table.size, 'the symbols');
  const symbols: KernelSymbol[] = [];
  while (reader.left >= SYMBOL_SIZE) {
    const nameAt = reader.u32();
    const info = reader.u8();
    reader.skip(1);
    const section = reader.u16();
    const address = reader.bigU64();
    reader.skip(8);
    const kind = info & 15;
    if (nameAt === 0 || section === 0 || kind === Info.section || kind === Info.file) continue;
    const end = strings.offset + strings.size;
    const name = new ByteReader(bytes, strings.offset + nameAt, end, 'symbol names').cString();
    symbols.push({ name, address, type: typeOf(sections[section], info) });
  }
  return symbols;
}

/** As nm has it, for what matters here. */
function typeOf(section: Section | undefined, info: number): string {
  const flags = section?.flags ?? 0n;
  let letter = 'r';
  if (section === undefined) letter = 'a';
  else if ((flags & EXECUTABLE) !== 0n) letter = 't';
  else if ((flags & WRITABLE) !== 0n) letter = 'd';
  const isLocal = info >> 4 === 0;
  return isLocal ? letter : letter.toUpperCase();
}

function sectionsOf(bytes: Uint8Array): Section[] {
  const header = new ByteReader(bytes, 40, bytes.length, 'the file');
  const start = header.u64();
  header.at = 58;
  const size = header.u16();
  const count = header.u16();
  const sections: Section[] = [];
  for (let index = 0; index < count; index++) {
    const reader = new ByteReader(bytes, start + index * size, bytes.length, 'the section headers');
    reader.skip(4);
    const type = reader.u32();
    const flags = reader.bigU64();
    reader.skip(8);
    sections.push({ type, flags, offset: reader.u64(), size: reader.u64(), link: reader.u32() });
  }
  return sections;
}
