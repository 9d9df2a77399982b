/**
 * Which symbol an address belongs to: `functionIndex(elf).find(0x1149)` is `main+16`.
 *
 * A symbol reaches as far as its size says. A function without a size (assembly) reaches to the next one;
 * a variable without one is only a mark (`_GLOBAL_OFFSET_TABLE_`), and left out. Where several start at the
 * same address, a global name is preferred to a weak one, and that to a local one; symbols inside others
 * are found first.
 */
import { firstIndex } from '../../base/bisect.ts';
import type { ImageAddress } from '../image-address.ts';
import { ABSOLUTE_SECTION, Binding, SymbolType, UNDEFINED_SECTION } from './constants.ts';
import type { ElfFile } from './elf-file.ts';
import { dynamicSymbols, fullSymbols, type SymbolTable } from './symbols.ts';

export interface NamedPlace {
  name: string;
  /** How far behind the symbol's address. */
  offset: number;
  start: ImageAddress;
  /** 0 if unknown. */
  size: number;
}

interface Entry {
  table: SymbolTable;
  index: number;
  start: ImageAddress;
  size: number;
  /** The furthest end of this and all symbols before it. */
  reach: number;
}

export class SymbolIndex {
  readonly #entries: Entry[];

  constructor(tables: readonly SymbolTable[], types: readonly number[]) {
    this.#entries = withoutDoubles(tables.flatMap((table) => entriesOf(table, types)));
    let reach = 0;
    for (const [index, entry] of this.#entries.entries()) {
      const next = this.#entries[index + 1]?.start ?? Number.MAX_SAFE_INTEGER;
      reach = Math.max(reach, entry.size === 0 ? next : entry.start + entry.size);
      entry.reach = reach;
    }
  }

  get count(): number {
    return this.#entries.length;
  }

  find(address: ImageAddress): NamedPlace | undefined {
    const entries = this.#entries;
    let index = firstIndex(entries, ({ start }) => start > address) - 1;
    for (; index >= 0 && entries[index]!.reach > address; index--) {
      const { start, size } = entries[index]!;
      const next = entries[index + 1]?.start ?? Number.MAX_SAFE_INTEGER;
      const end = size === 0 ? next : start + size;
      if (address < end) return placeIn(entries[index]!, address);
    }
    return undefined;
  }

  /** In the order of their addresses. */
  *[Symbol.iterator](): Generator<NamedPlace> {
    for (const entry of this.#entries) yield placeIn(entry, entry.start);
  }
}

export const functionIndex = (elf: ElfFile): SymbolIndex =>
  indexOf(elf, [SymbolType.function, SymbolType.indirectFunction]);

/** Variables, but not those that each thread has for itself. */
export const variableIndex = (elf: ElfFile): SymbolIndex => indexOf(elf, [SymbolType.object]);

function indexOf(elf: ElfFile, types: readonly number[]): SymbolIndex {
  const tables = [fullSymbols(elf), dynamicSymbols(elf)];
  return new SymbolIndex(
    tables.filter((table) => table !== undefined),
    types,
  );
}

function entriesOf(table: SymbolTable, types: readonly number[]): Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index < table.count; index++) {
    if (!types.includes(table.type(index))) continue;
    const size = table.size(index);
    if (size === 0 && table.type(index) === SymbolType.object) continue;
    const section = table.section(index);
    if (section === UNDEFINED_SECTION || section === ABSOLUTE_SECTION) continue;
    entries.push({ table, index, start: table.address(index), size, reach: 0 });
  }
  return entries;
}

function withoutDoubles(entries: Entry[]): Entry[] {
  entries.sort((a, b) => a.start - b.start || rank(a) - rank(b));
  return entries.filter(({ start }, index) => start !== entries[index - 1]?.start);
}

const PREFERENCE: readonly number[] = [Binding.global, Binding.weak, Binding.local];

function rank({ table, index, size }: Entry): number {
  const preference = PREFERENCE.indexOf(table.binding(index));
  return (size === 0 ? 10 : 0) + (preference < 0 ? PREFERENCE.length : preference);
}

function placeIn({ table, index, start, size }: Entry, address: ImageAddress): NamedPlace {
  return { name: table.name(index), offset: address - start, start, size };
}
