/**
 * Where `.eh_frame` is. Without section headers the segment `PT_GNU_EH_FRAME` leads to it: that has the
 * search table which the C library uses, and begins with a pointer to `.eh_frame` itself. Where that
 * ends is then only known from the zero it ends with.
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';
import { SegmentType } from '../elf/constants.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { readPointer } from './pointer-encoding.ts';

export interface EhFramePlace {
  address: ImageAddress;
  bytes: Uint8Array;
  /** Otherwise a zero is only the end of what one object file brought. */
  endsAtZero: boolean;
}

export function findEhFrame(elf: ElfFile): EhFramePlace | undefined {
  const bytes = elf.content('.eh_frame');
  if (bytes !== undefined) {
    return { address: elf.section('.eh_frame')!.address, bytes, endsAtZero: false };
  }
  const header = elf.isDebugFile ? undefined : elf.segment(SegmentType.ehFrameHeader);
  if (header === undefined) return undefined;
  return fromHeader(elf, header.address, header.sizeInFile);
}

function fromHeader(elf: ElfFile, at: ImageAddress, size: number): EhFramePlace | undefined {
  const reader = new ByteReader(elf.imageBytesAt(at, size), 0, size, '.eh_frame_hdr');
  const version = reader.u8();
  if (version !== 1)
    throw new BadBinary(`.eh_frame_hdr has version ${version}, which is not known`);
  const encoding = reader.u8();
  reader.skip(2);
  const pointer = readPointer(reader, encoding, { bytes: at, data: at });
  if (pointer === undefined) return undefined;
  const address = imageAddress(pointer.target);
  const bytes = elf.imageBytesFrom(address);
  if (bytes === undefined) throw new BadBinary('.eh_frame_hdr points to where nothing is loaded');
  return { address, bytes, endsAtZero: true };
}
