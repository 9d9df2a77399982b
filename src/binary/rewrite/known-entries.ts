/**
 * Addresses at which code may be entered, as far as an image says: where functions start, cloned or not,
 * what symbols name, and what pointers in its data lead to (a table of functions, or of labels:
 * `static void *const labels[] = { &&add, &&jump }`).
 */
import { RelocationType, SectionFlag, UNDEFINED_SECTION } from '../elf/constants.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { programKind } from '../elf/program-kind.ts';
import { readRelocations } from '../elf/relocations.ts';
import { dynamicSymbols, fullSymbols } from '../elf/symbols.ts';
import type { Fde } from '../unwind/eh-frame.ts';

export function knownEntries(elf: ElfFile, fdes: readonly Fde[]): Set<number> {
  const entries = new Set<number>();
  for (const { start } of fdes) entries.add(start);
  entries.add(elf.header.entry);
  for (const symbols of [fullSymbols(elf), dynamicSymbols(elf)]) {
    for (let index = 0; symbols && index < symbols.count; index++) {
      if (symbols.section(index) !== UNDEFINED_SECTION) entries.add(symbols.address(index));
    }
  }
  for (const { type, addend } of readRelocations(elf)) {
    if (POINTERS.has(type)) entries.add(addend);
  }
  if (!programKind(elf).isPositionIndependent) addWords(elf, entries);
  return entries;
}

const POINTERS: ReadonlySet<number> = new Set([
  RelocationType.relative,
  RelocationType.indirectRelative,
]);

/** In a program that cannot be moved, the loader has nothing to do: any word of data may be a pointer. */
function addWords(elf: ElfFile, entries: Set<number>): void {
  const code = elf.sections.filter(({ flags }) => (flags & SectionFlag.execute) !== 0);
  const [lowest, highest] = [
    Math.min(...code.map(({ address }) => address)),
    Math.max(...code.map(({ address, size }) => address + size)),
  ];
  for (const section of elf.sections) {
    const isData =
      (section.flags & (SectionFlag.alloc | SectionFlag.execute)) === SectionFlag.alloc;
    const bytes = isData ? elf.findImageBytes(section.address, section.size) : undefined;
    if (bytes === undefined) continue;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = -section.address & 7; at + 8 <= bytes.length; at += 8) {
      const value = view.getUint32(at, true);
      const isPointer = view.getUint32(at + 4, true) === 0 && value >= lowest && value < highest;
      if (isPointer) entries.add(value);
    }
  }
}
