/**
 * The build-id of an ELF file and whether it carries debug information: just enough of the format
 * for doctor, which may not use the real reader in src/binary. Layouts: <elf.h>, 64 bits.
 */
import { readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';

const PT_NOTE = 4;
const NT_GNU_BUILD_ID = 3;

export interface BuildId {
  /** In hexadecimal. */
  buildId: string | undefined;
  hasDebugInfo: boolean;
}

export function readBuildId(path: string): BuildId {
  const file = readFileSync(path);
  assert(file.toString('latin1', 0, 4) === '\x7fELF', `${path} is not an ELF file`);
  return { buildId: findBuildId(file), hasDebugInfo: sectionNames(file).includes('.debug_info') };
}

function findBuildId(file: Buffer): string | undefined {
  for (const header of table(file, 32, 54)) {
    if (header.readUInt32LE(0) !== PT_NOTE) continue;
    const start = word(header, 8);
    const found = buildIdAmong(file.subarray(start, start + word(header, 32)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Each note: sizes of name and content, type, then both, each padded to four bytes. */
function buildIdAmong(notes: Buffer): string | undefined {
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameSize = notes.readUInt32LE(at);
    const size = notes.readUInt32LE(at + 4);
    const contentAt = at + 12 + padded(nameSize);
    const isGnu = notes.toString('latin1', at + 12, at + 15) === 'GNU';
    if (isGnu && notes.readUInt32LE(at + 8) === NT_GNU_BUILD_ID) {
      return notes.toString('hex', contentAt, contentAt + size);
    }
    at = contentAt + padded(size);
  }
  return undefined;
}

function sectionNames(file: Buffer): string[] {
  const sections = table(file, 40, 58);
  const names = sections[file.readUInt16LE(62)];
  if (names === undefined) return [];
  return sections.map((section) => {
    const start = word(names, 24) + section.readUInt32LE(0);
    return file.toString('latin1', start, file.indexOf(0, start));
  });
}

/** The program or section headers: the file header holds where they start, their size and number. */
function table(file: Buffer, offsetAt: number, sizeAt: number): Buffer[] {
  const start = word(file, offsetAt);
  const size = file.readUInt16LE(sizeAt);
  const count = file.readUInt16LE(sizeAt + 2);
  return Array.from({ length: count }, (_, index) =>
    file.subarray(start + index * size, start + (index + 1) * size),
  );
}

const word = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));
const padded = (size: number): number => (size + 3) & ~3;
