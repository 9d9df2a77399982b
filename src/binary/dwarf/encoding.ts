/**
 * How wide things are in one unit: a file may mix units of several versions, and those with offsets of 32
 * and of 64 bits ("64-bit DWARF", which has nothing to do with 64-bit code).
 */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary, hex } from '../byte-reader.ts';

export interface Encoding {
  readonly version: number;
  readonly addressSize: number;
  /** 4 or 8. */
  readonly offsetSize: number;
}

/** Announces 64-bit DWARF where a length would stand; the numbers from 0xfffffff0 on are reserved. */
const WIDE = 0xffff_ffff;
const RESERVED = 0xffff_fff0;

/** The length that units, line programs and the like begin with. */
export function readInitialLength(reader: ByteReader): { end: number; offsetSize: number } {
  const at = reader.at;
  const first = reader.u32();
  if (first >= RESERVED && first !== WIDE)
    throw new BadBinary(`${hex(first)} at ${hex(at)} is not the length of a unit`);
  const isWide = first === WIDE;
  const length = isWide ? reader.u64() : first;
  const end = reader.at + length;
  if (end > reader.end)
    throw new BadBinary(`the unit at ${hex(at)} goes beyond the end of its section`);
  return { end, offsetSize: isWide ? 8 : 4 };
}

export const readOffset = (reader: ByteReader, offsetSize: number): number =>
  offsetSize === 8 ? reader.u64() : reader.u32();

export function checkAddressSize(size: number): number {
  if (size === 4 || size === 8) return size;
  throw new BadBinary(`addresses of ${size} bytes are not supported`);
}
