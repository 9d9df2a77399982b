/**
 * Addresses in debug information, some of which are none: linkers that drop a function (`--gc-sections`,
 * a second copy of an inline function) leave its debug information, with an address that cannot be. GNU
 * ld writes 0, lld all ones or all ones less one. None of them is damage, so they get numbers here that
 * no comparison takes for a place in the image.
 */
import type { ByteReader } from '../byte-reader.ts';

/** 2^64 - 1. In a range list of DWARF 4 this does not say "dropped" but "what follows is a base". */
export const ALL_ONES = Number.POSITIVE_INFINITY;
/** Beyond what an image can have. */
const OUT_OF_REACH = Number.MAX_VALUE;

export function readAddress(reader: ByteReader, size: number): number {
  const low = reader.u32();
  if (size === 4) return low;
  const high = reader.u32();
  if (high < 0x20_0000) return high * 0x1_0000_0000 + low;
  return (low & high) === -1 ? ALL_ONES : OUT_OF_REACH;
}

/** A part of the image: from `low` to just below `high`. */
export interface AddressRange {
  readonly low: number;
  readonly high: number;
}

/** False also for what was dropped by the linker. No image has code or data at 0: its headers are there. */
export const isInImage = (low: number, high: number): boolean =>
  low > 0 && high > low && high <= Number.MAX_SAFE_INTEGER;
