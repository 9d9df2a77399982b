/**
 * Values as they are written in .debug_info. Each becomes one number, whatever it is, so that an entry
 * with ten attributes is read without making ten objects; what the number means hangs on the form:
 *
 *   DW_FORM_data4, udata …   the value itself (64-bit constants that no number holds are rounded: nobody
 *                            looks at these, but they stand among attributes that are looked at)
 *   DW_FORM_ref4             the offset in .debug_info of what is referred to
 *   DW_FORM_strp, strx1 …    an offset or an index, resolved by `text.ts` when somebody asks
 *   DW_FORM_string, exprloc  the offset in .debug_info where the text or the block begins
 *   DW_FORM_ref_sig8         the offset in .debug_info of the signature
 *
 * References into other files (the supplementary ones that `dwz` makes) become `ELSEWHERE`.
 */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary, hex } from '../byte-reader.ts';
import { readAddress } from './addresses.ts';
import type { Encoding } from './encoding.ts';
import { Form } from './numbers.ts';

export const ELSEWHERE = -1;

const LEB = -1;
const TEXT = -2;
const BLOCK = -3;
const INDIRECT = -4;

/** Its size in bytes, or one of the negative kinds above. */
export function sizeOfForm(form: number, encoding: Encoding): number {
  switch (form) {
    case Form.flagPresent:
    case Form.implicitConst:
      return 0;
    case Form.data1:
    case Form.flag:
    case Form.ref1:
    case Form.strx1:
    case Form.addrx1:
      return 1;
    case Form.data2:
    case Form.ref2:
    case Form.strx2:
    case Form.addrx2:
      return 2;
    case Form.strx3:
    case Form.addrx3:
      return 3;
    case Form.data4:
    case Form.ref4:
    case Form.refSup4:
    case Form.strx4:
    case Form.addrx4:
      return 4;
    case Form.data8:
    case Form.ref8:
    case Form.refSup8:
    case Form.refSig8:
      return 8;
    case Form.data16:
      return 16;
    case Form.addr:
      return encoding.addressSize;
    case Form.refAddr:
      return encoding.version <= 2 ? encoding.addressSize : encoding.offsetSize;
    case Form.strp:
    case Form.strpSup:
    case Form.lineStrp:
    case Form.secOffset:
    case Form.gnuRefAlt:
    case Form.gnuStrpAlt:
      return encoding.offsetSize;
    case Form.sdata:
    case Form.udata:
    case Form.refUdata:
    case Form.strx:
    case Form.addrx:
    case Form.loclistx:
    case Form.rnglistx:
    case Form.gnuAddrIndex:
    case Form.gnuStrIndex:
      return LEB;
    case Form.string:
      return TEXT;
    case Form.block:
    case Form.block1:
    case Form.block2:
    case Form.block4:
    case Form.exprloc:
      return BLOCK;
    case Form.indirect:
      return INDIRECT;
    default:
      throw new BadBinary(`${hex(form)} is not a known form of attributes`);
  }
}

export function skipValue(reader: ByteReader, form: number, encoding: Encoding): void {
  const size = sizeOfForm(form, encoding);
  if (size >= 0) reader.skip(size);
  else if (size === LEB) reader.skipLeb();
  else if (size === TEXT) while (reader.u8() !== 0);
  else if (size === BLOCK) reader.skip(readBlockLength(reader, form));
  else skipValue(reader, readIndirectForm(reader), encoding);
}

/** How long the block is that begins behind the length. */
export function readBlockLength(reader: ByteReader, form: number): number {
  if (form === Form.block1) return reader.u8();
  if (form === Form.block2) return reader.u16();
  return form === Form.block4 ? reader.u32() : reader.uleb();
}

/** DW_FORM_indirect: the form stands before the value. */
export function readIndirectForm(reader: ByteReader): number {
  const at = reader.at;
  const form = reader.uleb();
  if (form === Form.indirect || form === Form.implicitConst)
    throw new BadBinary(`a value at ${hex(at)} says ${hex(form)} for its own form`);
  return form;
}

/** One value, of any form but `indirect` and `implicitConst`. `unitAt` is what references count from. */
export function readValue(
  reader: ByteReader,
  form: number,
  encoding: Encoding,
  unitAt: number,
): number {
  switch (form) {
    case Form.flagPresent:
      return 1;
    case Form.addr:
      return readAddress(reader, encoding.addressSize);
    case Form.ref1:
    case Form.ref2:
    case Form.ref4:
    case Form.ref8:
      return unitAt + readUnsigned(reader, sizeOfForm(form, encoding));
    case Form.refUdata:
      return unitAt + readLooseUleb(reader);
    case Form.sdata:
      return readLooseSleb(reader);
    case Form.string:
    case Form.block:
    case Form.block1:
    case Form.block2:
    case Form.block4:
    case Form.exprloc:
    case Form.refSig8: {
      const at = reader.at;
      skipValue(reader, form, encoding);
      return at;
    }
    case Form.gnuRefAlt:
    case Form.gnuStrpAlt:
    case Form.refSup4:
    case Form.refSup8:
    case Form.strpSup:
    case Form.data16:
      skipValue(reader, form, encoding);
      return ELSEWHERE;
    default: {
      const size = sizeOfForm(form, encoding);
      return size >= 0 ? readUnsigned(reader, size) : readLooseUleb(reader);
    }
  }
}

function readUnsigned(reader: ByteReader, size: number): number {
  if (size === 1) return reader.u8();
  if (size === 2) return reader.u16();
  if (size === 3) return reader.u16() | (reader.u8() << 16);
  const low = reader.u32();
  return size === 4 ? low : reader.u32() * 0x1_0000_0000 + low;
}

/** Constants of 64 bits lose their last digits. */
function readLooseUleb(reader: ByteReader): number {
  let value = 0;
  for (let unit = 1; ; unit *= 0x80) {
    const byte = reader.u8();
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return value;
  }
}

function readLooseSleb(reader: ByteReader): number {
  let value = 0;
  for (let unit = 1; ; unit *= 0x80) {
    const byte = reader.u8();
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return byte >= 0x40 ? value - unit * 0x80 : value;
  }
}
