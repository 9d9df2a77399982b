/**
 * What the loader changes in an image: at each place, it puts the address of a symbol, or the address
 * that stands there moved to where the image is. Three tables: general ones (`.rela.dyn`), those of the
 * procedure linkage table (`.rela.plt`), and a dense one (`.relr.dyn`) of places that are only moved.
 */
import { ByteReader } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { DynamicTag, RelocationType } from './constants.ts';
import { Dynamic } from './dynamic.ts';
import type { ElfFile } from './elf-file.ts';

const RELOCATION_SIZE = 24;

export interface Relocation {
  place: ImageAddress;
  /** One of `RelocationType`, or another. */
  type: number;
  /** A number among the dynamic symbols; 0 if it is about none. */
  symbol: number;
  addend: number;
}

export function readRelocations(elf: ElfFile): Relocation[] {
  const relocations: Relocation[] = [];
  for (const bytes of addendTables(elf)) readWithAddends(bytes, relocations);
  const dense = denseTable(elf);
  if (dense !== undefined) readDense(elf, dense, relocations);
  return relocations;
}

/** Static programs have no dynamic section, but may have relocations that they apply themselves. */
function addendTables(elf: ElfFile): Uint8Array[] {
  const dynamic = new Dynamic(elf);
  const { relocations, relocationsSize, pltRelocations, pltRelocationsSize } = DynamicTag;
  const tables = dynamic.isPresent
    ? [
        dynamic.table(relocations, relocationsSize)?.bytes,
        dynamic.table(pltRelocations, pltRelocationsSize)?.bytes,
      ]
    : [elf.content('.rela.dyn'), elf.content('.rela.plt')];
  return tables.filter((table) => table !== undefined);
}

function denseTable(elf: ElfFile): Uint8Array | undefined {
  const dynamic = new Dynamic(elf);
  return dynamic.isPresent
    ? dynamic.table(DynamicTag.relative, DynamicTag.relativeSize)?.bytes
    : elf.content('.relr.dyn');
}

function readWithAddends(bytes: Uint8Array, relocations: Relocation[]): void {
  const reader = new ByteReader(bytes, 0, bytes.length, 'the relocations');
  while (reader.left >= RELOCATION_SIZE) {
    const place = imageAddress(reader.u64());
    const type = reader.u32();
    const symbol = reader.u32();
    relocations.push({ place, type, symbol, addend: reader.i64() });
  }
}

/**
 * An even word is a place. An odd one is about the 63 words behind the last: bit 1 for the first of
 * them, and so on. So 0x3000, then 0b1011, are the places 0x3000, 0x3008 and 0x3018.
 */
function readDense(elf: ElfFile, bytes: Uint8Array, relocations: Relocation[]): void {
  const reader = new ByteReader(bytes, 0, bytes.length, 'the dense relocations');
  let next = 0;
  while (reader.left >= 8) {
    const word = reader.bigU64();
    if ((word & 1n) === 0n) {
      next = Number(word);
      relocations.push(relativeAt(elf, next));
      next += 8;
      continue;
    }
    for (let bit = 1; bit < 64; bit++) {
      if ((word >> BigInt(bit)) & 1n) relocations.push(relativeAt(elf, next + (bit - 1) * 8));
    }
    next += 63 * 8;
  }
}

function relativeAt(elf: ElfFile, at: number): Relocation {
  const place = imageAddress(at);
  const addend = new ByteReader(elf.imageBytesAt(place, 8), 0, 8, 'a relocated address').i64();
  return { place, type: RelocationType.relative, symbol: 0, addend };
}
