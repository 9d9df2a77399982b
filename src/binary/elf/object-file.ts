/**
 * An object file, such as a kernel module: its sections have no addresses yet, and wherever one of them is spoken of
 * there is a 0, and a relocation that says what is meant.
 *
 *   .debug_line   … 00 00 00 00 00 00 00 00 …      R_X86_64_64 .text + 0x40
 *
 * Here each section that will be loaded gets a place of its own, one behind the other, so that its debug information
 * can be read as that of any other file; and functions are where this puts them.
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { ObjectRelocation, SectionFlag, SectionType, SymbolType } from './constants.ts';
import { ElfFile } from './elf-file.ts';
import type { Section } from './sections.ts';
import { fullSymbols, type SymbolTable } from './symbols.ts';

const RELOCATION_SIZE = 24;
/** Larger than any alignment that a section asks for. */
const PAGE = 4096;

export interface PlacedFunction {
  readonly name: string;
  readonly address: ImageAddress;
  readonly size: number;
}

export class ObjectFile {
  readonly #elf: ElfFile;
  readonly #symbols: SymbolTable | undefined;
  /** By number; 0 for those that are not loaded, whose bytes are spoken of by offset. */
  readonly #places: readonly number[];

  constructor(bytes: Uint8Array) {
    this.#elf = new ElfFile(bytes, true);
    this.#symbols = fullSymbols(this.#elf);
    this.#places = placesOf(this.#elf.sections);
  }

  /** Of a section, with its relocations applied. */
  content(name: string): Uint8Array | undefined {
    const content = this.#elf.content(name);
    const relocations = this.#elf.section(`.rela${name}`);
    if (content === undefined || relocations?.type !== SectionType.relocations) return content;
    const relocated = content.slice();
    this.#apply(this.#elf.contentOf(relocations), relocated);
    return relocated;
  }

  functions(): PlacedFunction[] {
    const symbols = this.#symbols;
    if (symbols === undefined) return [];
    return Array.from({ length: symbols.count }, (_, index) => index)
      .filter((index) => symbols.type(index) === SymbolType.function)
      .map((index) => ({
        name: symbols.name(index),
        address: imageAddress(this.#placeOf(symbols, index)),
        size: symbols.size(index),
      }));
  }

  #apply(relocations: Uint8Array, to: Uint8Array): void {
    const symbols = this.#symbols;
    if (symbols === undefined) throw new BadBinary('it has relocations, but no symbols');
    const reader = new ByteReader(relocations, 0, relocations.length, 'the relocations');
    const view = new DataView(to.buffer, to.byteOffset, to.length);
    while (reader.left >= RELOCATION_SIZE) {
      const at = reader.u64();
      const type = reader.u32();
      const value = this.#placeOf(symbols, reader.u32()) + reader.i64();
      const size = SIZES.get(type);
      if (size === undefined || at + size > to.length) continue;
      if (size === 8) view.setBigInt64(at, BigInt(value), true);
      else view.setUint32(at, value >>> 0, true);
    }
  }

  #placeOf(symbols: SymbolTable, index: number): number {
    return (this.#places[symbols.section(index)] ?? 0) + symbols.address(index);
  }
}

const SIZES: ReadonlyMap<number, 4 | 8> = new Map([
  [ObjectRelocation.absolute64, 8],
  [ObjectRelocation.absolute32, 4],
  [ObjectRelocation.signed32, 4],
]);

function placesOf(sections: readonly Section[]): number[] {
  let next = PAGE;
  return sections.map(({ flags, size }) => {
    if ((flags & SectionFlag.alloc) === 0) return 0;
    const place = next;
    next += Math.ceil((size + 1) / PAGE) * PAGE;
    return place;
  });
}
