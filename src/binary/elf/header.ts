/**
 * The first 64 bytes of an ELF file: what it is, and where its tables stand. What is not a 64-bit
 * x86-64 program or shared library is refused here, with a message that says what it is instead:
 *
 *   it is a script ('#!/bin/sh'), not an ELF file
 *   it is a 32-bit file for i386; only 64-bit files for x86-64 can be read
 */
import { printable } from '../../base/bytes.ts';
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { FileType, MACHINES, X86_64 } from './constants.ts';

const HEADER_SIZE = 64;
export const SEGMENT_HEADER_SIZE = 56;
export const SECTION_HEADER_SIZE = 64;

export interface Table {
  /** In the file. */
  offset: number;
  count: number;
}

export interface FileHeader {
  /** The loader may put it anywhere. */
  isPositionIndependent: boolean;
  /** 0 if there is none, as in most shared libraries. */
  entry: ImageAddress;
  segments: Table;
  sections: Table;
  /** Which section has the names of sections. */
  sectionNames: number;
}

/** `isObject`: whether it is to be an object file, which is neither a program nor a library yet. */
export function readHeader(file: Uint8Array, isObject = false): FileHeader {
  checkIdentity(file);
  const reader = new ByteReader(file, 16, HEADER_SIZE, 'the ELF header');
  const type = reader.u16();
  if (!isObject || type !== FileType.object) checkType(type);
  reader.skip(2);
  const version = reader.u32();
  if (version !== 1) throw new BadBinary(`its ELF version is ${version}, which does not exist`);
  const entry = imageAddress(reader.u64());
  const segmentsAt = reader.u64();
  const sectionsAt = reader.u64();
  reader.skip(6);
  const segmentSize = reader.u16();
  const segments = { offset: segmentsAt, count: segmentsAt === 0 ? 0 : reader.u16() };
  reader.at = 58;
  const sectionSize = reader.u16();
  const sections = { offset: sectionsAt, count: reader.u16() };
  checkSize('program', segments.count, segmentSize, SEGMENT_HEADER_SIZE);
  checkSize('section', sections.count, sectionSize, SECTION_HEADER_SIZE);
  const isPositionIndependent = type === FileType.shared;
  return { isPositionIndependent, entry, segments, sections, sectionNames: reader.u16() };
}

function checkIdentity(file: Uint8Array): void {
  if (file.length === 0) throw new BadBinary('it is empty');
  if (!isElf(file)) throw new BadBinary(whatElse(file));
  if (file.length < HEADER_SIZE) {
    throw new BadBinary(`it is cut short: it has ${file.length} of the ELF header's 64 bytes`);
  }
  const bits = file[4] === 1 ? 32 : 64;
  const isBigEndian = file[5] === 2;
  const machine = isBigEndian ? file[18]! * 256 + file[19]! : file[18]! + file[19]! * 256;
  if (file[4] !== 1 && file[4] !== 2)
    throw new BadBinary(`its ELF class ${file[4]} does not exist`);
  if (file[5] !== 1 && file[5] !== 2)
    throw new BadBinary(`its byte order ${file[5]} does not exist`);
  if (bits === 64 && machine === X86_64 && !isBigEndian) return;
  const order = isBigEndian ? 'big-endian ' : '';
  const name = MACHINES.get(machine) ?? `machine ${machine}`;
  throw new BadBinary(
    `it is a ${bits}-bit ${order}file for ${name}; only 64-bit files for x86-64 can be read`,
  );
}

const isElf = (file: Uint8Array): boolean =>
  file.length >= 4 && file[0] === 0x7f && file[1] === 0x45 && file[2] === 0x4c && file[3] === 0x46;

function whatElse(file: Uint8Array): string {
  const start = Buffer.from(file.subarray(0, 64)).toString('latin1');
  if (!start.startsWith('#!')) {
    const bytes = Buffer.from(file.subarray(0, 4)).toString('hex');
    return `it is not an ELF file: it starts with the bytes ${bytes}`;
  }
  return `it is a script ('${printable(start.split('\n')[0]!)}'), not an ELF file`;
}

function checkType(type: number): void {
  if (type === FileType.executable || type === FileType.shared) return;
  if (type === FileType.object) {
    throw new BadBinary('it is an object file (.o), not a program or a shared library');
  }
  if (type === FileType.core) throw new BadBinary('it is a core dump, not a program');
  throw new BadBinary(`its ELF type ${hex(type)} is not that of a program or a shared library`);
}

function checkSize(which: string, count: number, found: number, expected: number): void {
  if (count === 0 || found === expected) return;
  throw new BadBinary(`it is damaged: its ${which} headers have ${found} bytes, not ${expected}`);
}
