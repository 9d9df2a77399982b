/** The headers of the units that .debug_info consists of: one for each source file, most of the time. */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary, hex } from '../byte-reader.ts';
import { checkAddressSize, type Encoding, readInitialLength, readOffset } from './encoding.ts';
import { UnitType } from './numbers.ts';

export interface UnitHeader {
  /** Where it begins in .debug_info. */
  readonly at: number;
  /** Where its first entry is, and where the unit ends. */
  readonly entriesAt: number;
  readonly end: number;
  /** One of `UnitType`; before DWARF 5, where only the first entry tells, always `compile`. */
  readonly type: number;
  readonly encoding: Encoding;
  readonly abbreviationsAt: number;
  /** Of a type unit: by what others refer to it, and where the type is. */
  readonly signature: bigint | undefined;
  readonly typeAt: number;
}

/** Reads one header; the reader is then behind the whole unit. */
export function readUnitHeader(reader: ByteReader): UnitHeader {
  const at = reader.at;
  const { end, offsetSize } = readInitialLength(reader);
  const version = reader.u16();
  if (version < 2 || version > 5)
    throw new BadBinary(`the unit at ${hex(at)} of .debug_info is of DWARF ${version}`);
  let type: number = UnitType.compile;
  let addressSize: number;
  let abbreviationsAt: number;
  if (version >= 5) {
    type = reader.u8();
    addressSize = reader.u8();
    abbreviationsAt = readOffset(reader, offsetSize);
  } else {
    abbreviationsAt = readOffset(reader, offsetSize);
    addressSize = reader.u8();
  }
  let signature: bigint | undefined;
  let typeAt = 0;
  if (type === UnitType.type || type === UnitType.splitType) {
    signature = reader.bigU64();
    typeAt = at + readOffset(reader, offsetSize);
  } else if (type === UnitType.skeleton || type === UnitType.splitCompile) {
    reader.skip(8);
  }
  const entriesAt = reader.at;
  if (entriesAt > end) throw new BadBinary(`the unit at ${hex(at)} of .debug_info is too short`);
  reader.at = end;
  const encoding = { version, addressSize: checkAddressSize(addressSize), offsetSize };
  return { at, entriesAt, end, type, encoding, abbreviationsAt, signature, typeAt };
}
