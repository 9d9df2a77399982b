/**
 * Symbol tables. Large programs have hundreds of thousands of symbols, of which few are asked for: so a
 * table stays as it is in the file, and what is known of symbol N is read when it is asked for.
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { DynamicTag, SectionType } from './constants.ts';
import { Dynamic } from './dynamic.ts';
import { dynamicSymbolCount } from './dynamic-symbol-count.ts';
import type { ElfFile } from './elf-file.ts';
import type { Section } from './sections.ts';

export const SYMBOL_SIZE = 24;

export class SymbolTable {
  readonly #symbols: DataView;
  readonly #strings: Uint8Array;
  readonly count: number;

  constructor(symbols: Uint8Array, strings: Uint8Array) {
    this.#symbols = new DataView(symbols.buffer, symbols.byteOffset, symbols.length);
    this.#strings = strings;
    this.count = Math.floor(symbols.length / SYMBOL_SIZE);
  }

  name(index: number): string {
    const at = this.#symbols.getUint32(this.#place(index), true);
    return new ByteReader(this.#strings, at, this.#strings.length, 'symbol names').cString();
  }

  /** One of `SymbolType`, or another. */
  type(index: number): number {
    return this.#symbols.getUint8(this.#place(index) + 4) & 15;
  }

  /** One of `Binding`, or another. */
  binding(index: number): number {
    return this.#symbols.getUint8(this.#place(index) + 4) >> 4;
  }

  /** The number of the section it is in; `UNDEFINED_SECTION` if it is in another file. */
  section(index: number): number {
    return this.#symbols.getUint16(this.#place(index) + 6, true);
  }

  /** Not exact above 2^53, where only `ABSOLUTE_SECTION` has symbols, which are no addresses. */
  address(index: number): ImageAddress {
    return imageAddress(this.#u64(this.#place(index) + 8));
  }

  size(index: number): number {
    return this.#u64(this.#place(index) + 16);
  }

  #u64(at: number): number {
    return this.#symbols.getUint32(at, true) + this.#symbols.getUint32(at + 4, true) * 2 ** 32;
  }

  #place(index: number): number {
    if (index >= 0 && index < this.count) return index * SYMBOL_SIZE;
    throw new BadBinary(`there is no symbol ${index}: the table has ${this.count}`);
  }
}

/** All symbols, `.symtab`: only in files that were not stripped, and in debug files. */
export function fullSymbols(elf: ElfFile): SymbolTable | undefined {
  const section = elf.sections.find(({ type }) => type === SectionType.symbols);
  return section && symbolsOf(elf, section);
}

/** What is shared with other files, `.dynsym`: relocations speak of these, by number. */
export function dynamicSymbols(elf: ElfFile): SymbolTable | undefined {
  const section = elf.sections.find(({ type }) => type === SectionType.dynamicSymbols);
  return section ? symbolsOf(elf, section) : symbolsOfLoader(elf);
}

function symbolsOf(elf: ElfFile, section: Section): SymbolTable {
  const strings = elf.sections[section.link];
  if (strings === undefined) throw new BadBinary(`section ${section.name} has no strings`);
  return new SymbolTable(elf.contentOf(section), elf.contentOf(strings));
}

function symbolsOfLoader(elf: ElfFile): SymbolTable | undefined {
  const dynamic = new Dynamic(elf);
  const at = dynamic.value(DynamicTag.symbols);
  const strings = dynamic.table(DynamicTag.strings, DynamicTag.stringsSize);
  if (at === undefined || strings === undefined) return undefined;
  const size = dynamicSymbolCount(elf, dynamic) * SYMBOL_SIZE;
  return new SymbolTable(elf.imageBytesAt(imageAddress(at), size), strings.bytes);
}
