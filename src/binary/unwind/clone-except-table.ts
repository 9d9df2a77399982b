/**
 * The exception table of a clone: the same actions, with call sites and landing pads in the clone. It is
 * elsewhere, so distances to the image (types) are others.
 *
 * Landing pads may come before the function (in its cold part, say), and zero stands for none: so they
 * are counted from one byte before the lowest.
 */
import { ByteWriter } from '../byte-writer.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { type Clone, placeInClone, Refused } from './clone.ts';
import { type ExceptTable, readExceptTable } from './except-table.ts';
import { Encoding, isAbsolute, type Pointer } from './pointer-encoding.ts';
import { encodingFor } from './written-pointer.ts';

export interface ClonedTable {
  callSites: { start: number; end: number; landingPad: number | undefined; action: number }[];
  original: ExceptTable;
}

export function cloneExceptTable(elf: ElfFile, clone: Clone): ClonedTable | undefined {
  const { lsda, start: functionStart } = clone.fde;
  if (lsda === undefined) return undefined;
  const original = readExceptTable(elf, lsda, functionStart);
  const hasTypes = original.types.some((type) => type !== undefined);
  if (hasTypes && isAbsolute(original.typeEncoding) && elf.header.isPositionIndependent) {
    throw new Refused('its exception table has addresses that the loader changes');
  }
  const callSites = original.callSites.map(({ start, end, landingPad, action }) => {
    const site = {
      start: placeInClone(clone, start, 'call site'),
      end: placeInClone(clone, end, 'the end of call site'),
      landingPad: landingPad && placeInClone(clone, landingPad, 'landing pad'),
      action,
    };
    const isInside = clone.start <= site.start && site.start <= site.end && site.end <= clone.end;
    if (!isInside) throw new Refused('a call site of its exception table is not inside its clone');
    return site;
  });
  // Who searches the table stops at the first call site behind the address it looks for.
  callSites.sort((a, b) => a.start - b.start);
  return { callSites, original };
}

export function writeExceptTable(
  writer: ByteWriter,
  { callSites, original }: ClonedTable,
  functionStart: number,
  addressOf: (offset: number) => number,
): void {
  const pads = callSites.flatMap(({ landingPad }) => landingPad ?? []);
  const padsStart = pads.reduce((lowest, pad) => Math.min(lowest, pad), functionStart) - 1;
  writer.u8(Encoding.pcRelative);
  writer.i32(padsStart - addressOf(writer.length));
  const sites = new ByteWriter();
  for (const { start, end, landingPad, action } of callSites) {
    sites.uleb(start - functionStart);
    sites.uleb(end - start);
    sites.uleb(landingPad === undefined ? 0 : landingPad - padsStart);
    sites.uleb(action);
  }
  const table = new ByteWriter();
  table.u8(Encoding.uleb);
  table.uleb(sites.length);
  table.bytes(sites.written());
  table.bytes(original.actionBytes);
  writeWithTypes(writer, table.written(), original, addressOf);
}

function writeWithTypes(
  writer: ByteWriter,
  table: Uint8Array,
  { types, typeEncoding, specificationBytes }: ExceptTable,
  addressOf: (offset: number) => number,
): void {
  if (typeEncoding === Encoding.omitted) {
    writer.u8(Encoding.omitted);
    writer.bytes(table);
    return;
  }
  writer.u8(encodingFor(types.find((type) => type !== undefined)));
  writer.uleb(table.length + 4 * types.length);
  writer.bytes(table);
  for (const type of types.toReversed()) writeType(writer, type, addressOf);
  writer.bytes(specificationBytes);
}

function writeType(
  writer: ByteWriter,
  type: Pointer | undefined,
  addressOf: (offset: number) => number,
): void {
  writer.i32(type === undefined ? 0 : type.target - addressOf(writer.length));
}
