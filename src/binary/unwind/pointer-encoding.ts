/**
 * How unwind tables write addresses: a byte says in which format (`DW_EH_PE_sdata4`: four bytes, signed),
 * relative to what (`pcrel`: to the place where it is written), and whether what stands at that address
 * is the pointer that is meant (`indirect`). Linux Standard Base, "DWARF Extensions".
 *
 *   0x1b  sdata4 | pcrel              where functions start, where their tables are
 *   0x9b  sdata4 | pcrel | indirect   personality routines and types, through a slot of the image
 *   0x03  udata4                      the same in programs that are not position independent
 */
import { BadBinary, type ByteReader, hex } from '../byte-reader.ts';

export const Encoding = { omitted: 0xff, pcRelative: 0x1b, indirect: 0x80, uleb: 0x01 } as const;

const FORMAT = 0x0f;
const RELATIVE_TO = 0x70;
const To = {
  nothing: 0,
  place: 0x10,
  text: 0x20,
  data: 0x30,
  function: 0x40,
  aligned: 0x50,
} as const;

export interface Pointer {
  target: number;
  /** The pointer that is meant is what the image holds at the target. */
  isIndirect: boolean;
}

export interface PointerBases {
  /** The address of the reader's first byte. */
  bytes: number;
  data?: number;
  function?: number;
}

/** `undefined` is the null pointer: zero stands for it, relative to whatever. */
export function readPointer(
  reader: ByteReader,
  encoding: number,
  bases: PointerBases,
): Pointer | undefined {
  if (encoding === Encoding.omitted) return undefined;
  if ((encoding & RELATIVE_TO) === To.aligned) {
    reader.skip(-(bases.bytes + reader.at) & 7);
  }
  const place = bases.bytes + reader.at;
  const value = readValue(reader, encoding);
  if (value === 0) return undefined;
  const target = value + baseOf(encoding, place, bases);
  return { target, isIndirect: (encoding & Encoding.indirect) !== 0 };
}

/** As it is written, relative to nothing: for lengths. */
export function readValue(reader: ByteReader, encoding: number): number {
  switch (encoding & FORMAT) {
    case 0x0:
    case 0x4:
      return reader.u64();
    case 0x1:
      return reader.uleb();
    case 0x2:
      return reader.u16();
    case 0x3:
      return reader.u32();
    case 0x9:
      return reader.sleb();
    case 0xa:
      return reader.i16();
    case 0xb:
      return reader.i32();
    case 0x8:
    case 0xc:
      return reader.i64();
  }
  throw new BadBinary(`pointer encoding ${hex(encoding)} does not exist`);
}

/** How many bytes each takes, for tables that are addressed by number. */
export function pointerSize(encoding: number): number {
  const size = { 0: 8, 2: 2, 3: 4, 4: 8, 8: 8, 10: 2, 11: 4, 12: 8 }[encoding & FORMAT];
  if (size !== undefined && (encoding & RELATIVE_TO) !== To.aligned) return size;
  throw new BadBinary(`pointer encoding ${hex(encoding)} has no fixed size`);
}

/** The value is an address by itself, so the loader would have to change it in an image that moves. */
export const isAbsolute = (encoding: number): boolean =>
  (encoding & RELATIVE_TO) === To.nothing || (encoding & RELATIVE_TO) === To.aligned;

function baseOf(encoding: number, place: number, bases: PointerBases): number {
  const base = {
    [To.nothing]: 0,
    [To.aligned]: 0,
    [To.place]: place,
    [To.text]: undefined,
    [To.data]: bases.data,
    [To.function]: bases.function,
  }[encoding & RELATIVE_TO];
  if (base !== undefined) return base;
  throw new BadBinary(`pointer encoding ${hex(encoding)} has no base here`);
}
