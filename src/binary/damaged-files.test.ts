/** Whatever is in a file: everything that reads it ends soon, with a result or with `BadBinary`. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BadBinary } from './byte-reader.ts';
import { debugFileWanted, readDebugAltLink } from './elf/debug-files.ts';
import { type ElfFile, parseElf } from './elf/elf-file.ts';
import { readImports } from './elf/imports.ts';
import { programKind } from './elf/program-kind.ts';
import { readRelocations } from './elf/relocations.ts';
import { functionIndex, variableIndex } from './elf/symbol-index.ts';
import { imageAddress } from './image-address.ts';
import { compiled, withoutSections } from './testdata/compiled.ts';
import { decodeCallFrame, decodeFirstInstructions } from './unwind/call-frame-instructions.ts';
import { readEhFrame } from './unwind/eh-frame.ts';
import { readExceptTable } from './unwind/except-table.ts';
import { writeUnwindTables } from './unwind/write-unwind-tables.ts';

type Reader = (elf: ElfFile) => void;

/** Apart, so that what one stumbles over does not hide what is behind it from the others. */
const READERS: readonly Reader[] = [
  (elf) => elf.sections.forEach((section) => void elf.contentOf(section)),
  (elf) => void programKind(elf),
  (elf) => void debugFileWanted(elf),
  (elf) => void readDebugAltLink(elf),
  (elf) => void readRelocations(elf),
  (elf) => void readImports(elf),
  (elf) => void [...functionIndex(elf)],
  (elf) => void [...variableIndex(elf)],
  (elf) => void functionIndex(elf).find(elf.header.entry),
  (elf) => readEhFrame(elf).fdes.forEach((fde) => void decodeCallFrame(fde)),
  (elf) => readEhFrame(elf).fdes.forEach((fde) => void decodeFirstInstructions(fde)),
  (elf) =>
    readEhFrame(elf).fdes.forEach(({ lsda, start }) => {
      if (lsda !== undefined) readExceptTable(elf, lsda, start);
    }),
  (elf) => {
    const clones = readEhFrame(elf).fdes.map((fde) => ({
      ...{ fde, start: fde.start, end: fde.end, cloneOf: (address: number) => address },
    }));
    writeUnwindTables(elf, clones, imageAddress(0x1000_0000));
  },
];

/** How many could make something of it. */
function readAll(bytes: Uint8Array): number {
  const elf = orBad(() => parseElf(bytes));
  if (elf === undefined) return 0;
  return READERS.filter((read) => orBad(() => [read(elf)])).length;
}

function orBad<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof BadBinary) return undefined;
    throw error;
  }
}

/** Half of the changes are where headers and tables are, which would be hit too rarely. */
function changesOf(bytes: Uint8Array, places: readonly number[]): fc.Arbitrary<Uint8Array> {
  const near = fc.tuple(fc.constantFrom(...places), fc.nat(64)).map(([at, by]) => at + by);
  const place = fc.oneof(fc.nat(bytes.length - 1), near);
  const value = fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255));
  const change = fc.record({ at: place, value });
  const end = fc.oneof({ weight: 5, arbitrary: fc.constant(bytes.length) }, fc.nat(bytes.length));
  return fc.tuple(fc.array(change, { minLength: 1, maxLength: 12 }), end).map(([changes, cut]) => {
    const copy = Uint8Array.from(bytes);
    for (const { at, value: byte } of changes) if (at < copy.length) copy[at] = byte;
    return copy.subarray(0, cut);
  });
}

it.each([
  ['a C++ program', () => readFileSync(compiled('exceptions.cc', '-std=c++14', '-w', '-O1'))],
  ['one with compressed debug information', () => readFileSync(compiled('calls.c', '-g', '-gz'))],
  ['one without section headers', () => withoutSections(compiled('calls.c', '-rdynamic'))],
  [
    'one with dense relocations',
    () => readFileSync(compiled('calls.c', '-Wl,-z,pack-relative-relocs')),
  ],
])('damage to %s is told', (_, fileOf) => {
  const bytes = fileOf();
  const elf = parseElf(bytes);
  expect(readAll(bytes)).toBe(READERS.length);
  const places = [
    ...[0, elf.header.segments.offset, elf.header.sections.offset],
    ...elf.segments.map((_, index) => elf.header.segments.offset + index * 56),
    ...elf.sections.map((_, index) => elf.header.sections.offset + index * 64),
    ...[...elf.sections, ...elf.segments].map(({ offset }) => offset),
  ];
  let told = 0;
  const count = (changed: Uint8Array): void => {
    if (readAll(changed) < READERS.length) told++;
  };
  fc.assert(fc.property(changesOf(bytes, places), count), { numRuns: 1000 });
  expect(told).toBeGreaterThan(100);
});
