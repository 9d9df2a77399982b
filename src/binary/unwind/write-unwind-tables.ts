/**
 * Unwind tables for clones: an `.eh_frame` that the C library can be told of (`__register_frame`, with
 * the address of the first byte), and behind its closing zero the exception tables it points to.
 *
 *   writeUnwindTables(elf, clones, at)     at: where the bytes will be, relative to the image
 *
 * All distances are four bytes wide, so clones and tables must be within 2 GB of the image. A function
 * whose tables cannot be expressed is refused, and has no entry: it must not be run as a clone.
 */
import { BadBinary } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import type { ImageAddress } from '../image-address.ts';
import type { Cie } from './cie.ts';
import { CieWriter } from './cie-writer.ts';
import { type Clone, Refused } from './clone.ts';
import { checkFirstInstructions, cloneCallFrame } from './clone-call-frame.ts';
import { type ClonedTable, cloneExceptTable, writeExceptTable } from './clone-except-table.ts';
import type { Fde } from './eh-frame.ts';
import { endEntry } from './entry-end.ts';
import { Encoding } from './pointer-encoding.ts';
import { checkDistance, checkPersonality } from './written-pointer.ts';

export interface UnwindTables {
  bytes: Uint8Array;
  /** Why a function has no entry. */
  refused: Map<Fde, string>;
}

interface Prepared {
  clone: Clone;
  instructions: Uint8Array;
  exceptTable: ClonedTable | undefined;
}

export function writeUnwindTables(
  elf: ElfFile,
  clones: readonly Clone[],
  at: ImageAddress,
): UnwindTables {
  const refused = new Map<Fde, string>();
  const sound = new Set<Cie>();
  const prepared = clones.flatMap((clone) => {
    try {
      if (!sound.has(clone.fde.cie)) checkCie(elf, clone.fde, at);
      sound.add(clone.fde.cie);
      return [prepare(elf, clone, at)];
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof BadBinary)) throw error;
      refused.set(clone.fde, error.message);
      return [];
    }
  });
  return { bytes: write(prepared, at), refused };
}

function checkCie(elf: ElfFile, fde: Fde, at: ImageAddress): void {
  checkPersonality(elf, fde.cie, at);
  checkFirstInstructions(fde);
}

/** Everything that can go wrong goes wrong here, before anything is written. */
function prepare(elf: ElfFile, clone: Clone, at: ImageAddress): Prepared {
  checkDistance(at, clone.start);
  checkDistance(at, clone.end);
  const instructions = cloneCallFrame(clone);
  const exceptTable = cloneExceptTable(elf, clone);
  for (const site of exceptTable?.callSites ?? []) checkDistance(at, site.landingPad ?? at);
  for (const type of exceptTable?.original.types ?? []) checkDistance(at, type?.target ?? at);
  return { clone, instructions, exceptTable };
}

function write(prepared: readonly Prepared[], at: ImageAddress): Uint8Array {
  const writer = new ByteWriter();
  const addressOf = (offset: number): number => at + offset;
  const cies = new CieWriter(writer, addressOf);
  const tablePointers = new Map<Prepared, number>();
  for (const entry of prepared) {
    const pointerAt = writeFde(writer, entry, cies, addressOf);
    if (pointerAt !== undefined) tablePointers.set(entry, pointerAt);
  }
  writer.u32(0);
  for (const [{ clone, exceptTable }, pointerAt] of tablePointers) {
    if (exceptTable === undefined) continue;
    writer.alignTo(4);
    writer.setI32(pointerAt, writer.length - pointerAt);
    writeExceptTable(writer, exceptTable, clone.start, addressOf);
  }
  return writer.written();
}

/** Returns where the pointer to its exception table is to be put, which is null until then. */
function writeFde(
  writer: ByteWriter,
  { clone, instructions }: Prepared,
  cies: CieWriter,
  addressOf: (offset: number) => number,
): number | undefined {
  const { start, end, fde } = clone;
  const cieAt = cies.placeFor(fde.cie);
  const entryAt = writer.length;
  writer.u32(0);
  writer.i32(writer.length - cieAt);
  writer.i32(start - addressOf(writer.length));
  writer.u32(end - start);
  let pointerAt: number | undefined;
  if (fde.cie.lsdaEncoding === Encoding.omitted) writer.uleb(0);
  else {
    writer.uleb(4);
    pointerAt = writer.length;
    writer.i32(0);
  }
  writer.bytes(instructions);
  endEntry(writer, entryAt);
  return pointerAt;
}
