/** The program headers: which parts of the file are mapped where. */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { IN_FIRST_SECTION } from './constants.ts';
import { SEGMENT_HEADER_SIZE, type Table } from './header.ts';

export interface Segment {
  /** One of `SegmentType`, or another. */
  type: number;
  /** Of `SegmentFlag`. */
  flags: number;
  address: ImageAddress;
  /** In memory; what is not in the file is zero. */
  size: number;
  offset: number;
  sizeInFile: number;
  align: number;
}

export function readSegments(file: Uint8Array, table: Table): Segment[] {
  const size = table.count * SEGMENT_HEADER_SIZE;
  if (table.count === IN_FIRST_SECTION) throw new BadBinary('it has more than 65534 segments');
  if (table.offset + size > file.length) {
    throw new BadBinary(
      `it is cut short: its program headers at ${hex(table.offset)} are outside the file`,
    );
  }
  const reader = new ByteReader(file, table.offset, table.offset + size, 'the program headers');
  return Array.from({ length: table.count }, () => readSegment(reader));
}

function readSegment(reader: ByteReader): Segment {
  const type = reader.u32();
  const flags = reader.u32();
  const offset = reader.u64();
  const address = imageAddress(reader.u64());
  reader.skip(8);
  const sizeInFile = reader.u64();
  return { type, flags, address, offset, sizeInFile, size: reader.u64(), align: reader.u64() };
}
