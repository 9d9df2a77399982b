/**
 * What a line number program begins with: how its opcodes are to be read, and which files it talks of.
 *
 * DWARF 5 numbers directories and files from 0, and says itself what it tells of each. Before, directory
 * 0 was the one that the compiler ran in, which only .debug_info tells, and files began with 1.
 */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary, hex } from '../byte-reader.ts';
import { checkAddressSize, type Encoding, readInitialLength, readOffset } from './encoding.ts';
import { readValue, skipValue } from './forms.ts';
import { LineContent } from './numbers.ts';
import type { DebugSections } from './sections.ts';
import { type FileEntry, SourceFiles } from './source-files.ts';
import { readTextOfForm } from './text.ts';

export interface LineHeader {
  readonly at: number;
  /** Where the program begins, and where it ends. */
  readonly programAt: number;
  readonly end: number;
  readonly smallestInstruction: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly opcodeBase: number;
  /** How many operands each standard opcode has; the first is opcode 1's. */
  readonly operandCounts: readonly number[];
  readonly files: SourceFiles;
}

/** `compilationFolder` is what relative paths begin with, if the program does not say it. */
export function readLineHeader(
  sections: DebugSections,
  reader: ByteReader,
  compilationFolder: string | undefined,
): LineHeader {
  const at = reader.at;
  const { end, offsetSize } = readInitialLength(reader);
  const version = reader.u16();
  if (version < 2 || version > 5)
    throw new BadBinary(`the line program at ${hex(at)} is of DWARF ${version}`);
  let addressSize = 8;
  if (version >= 5) {
    addressSize = checkAddressSize(reader.u8());
    if (reader.u8() !== 0)
      throw new BadBinary(`the line program at ${hex(at)} is for segmented memory`);
  }
  const headerLength = readOffset(reader, offsetSize);
  const programAt = reader.at + headerLength;
  if (programAt > end)
    throw new BadBinary(`the header of the line program at ${hex(at)} is too long`);
  const smallestInstruction = reader.u8();
  // More than one only on machines that bundle their instructions, which x86 does not.
  if (version >= 4 && reader.u8() !== 1)
    throw new BadBinary(`the line program at ${hex(at)} is for bundled instructions`);
  reader.skip(1); // Whether rows are beginnings of statements; all rows are taken.
  const lineBase = reader.i8();
  const lineRange = reader.u8();
  const opcodeBase = reader.u8();
  if (lineRange === 0 || opcodeBase === 0)
    throw new BadBinary(`the line program at ${hex(at)} has no special opcodes`);
  const operandCounts = [...reader.bytes(opcodeBase - 1)];
  const files =
    version >= 5
      ? readDescribedFiles(sections, reader, { version, addressSize, offsetSize })
      : readPlainFiles(reader, compilationFolder);
  return {
    at,
    programAt,
    end,
    smallestInstruction,
    lineBase,
    lineRange,
    opcodeBase,
    operandCounts,
    files,
  };
}

/** DWARF 2 to 4. */
function readPlainFiles(reader: ByteReader, compilationFolder: string | undefined): SourceFiles {
  const folders = [compilationFolder ?? ''];
  for (let folder = reader.cString(); folder !== ''; folder = reader.cString())
    folders.push(folder);
  const files: FileEntry[] = [{ name: undefined, folder: 0 }];
  for (let name = reader.cString(); name !== ''; name = reader.cString())
    files.push(readPlainFile(reader, name));
  return new SourceFiles(folders, files);
}

/** What follows a file's name: its directory, its time and its size. */
export function readPlainFile(reader: ByteReader, name: string): FileEntry {
  const folder = reader.uleb();
  reader.skipLeb();
  reader.skipLeb();
  return { name, folder };
}

function readDescribedFiles(
  sections: DebugSections,
  reader: ByteReader,
  encoding: Encoding,
): SourceFiles {
  const folders = readDescribed(sections, reader, encoding).map(({ name }) => name ?? '');
  return new SourceFiles(folders, readDescribed(sections, reader, encoding));
}

/** A list of pairs, what is told and in which form; then as many things as the count says. */
function readDescribed(
  sections: DebugSections,
  reader: ByteReader,
  encoding: Encoding,
): FileEntry[] {
  const format: [content: number, form: number][] = [];
  for (let left = reader.u8(); left > 0; left--) format.push([reader.uleb(), reader.uleb()]);
  const count = reader.uleb();
  // Each takes a byte at least; so the loop ends with the section, whatever the count says.
  if (count > 0 && format.length === 0)
    throw new BadBinary(`the list at ${hex(reader.at)} of .debug_line has entries without content`);
  const entries: FileEntry[] = [];
  for (let i = 0; i < count; i++) {
    const start = reader.at;
    let name: string | undefined;
    let folder = 0;
    for (const [content, form] of format) {
      if (content === LineContent.path)
        name = readTextOfForm(sections, reader, form, encoding.offsetSize);
      else if (content === LineContent.directoryIndex)
        folder = readValue(reader, form, encoding, 0);
      else skipValue(reader, form, encoding);
    }
    if (reader.at === start)
      throw new BadBinary(`the list at ${hex(start)} of .debug_line has empty entries`);
    entries.push({ name, folder });
  }
  return entries;
}
