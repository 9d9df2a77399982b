/**
 * An ELF file: its headers, and the bytes they speak of.
 *
 *   const elf = parseElf(readFileSync('/bin/true'));
 *   elf.imageBytesAt(elf.header.entry, 4)     // f3 0f 1e fa: what the loader puts there
 *   elf.content('.rodata')                    // a section's bytes, decompressed if need be
 *
 * The other files of this folder read one table each from it, when somebody asks. All throw `BadBinary`
 * if the file is damaged. Addresses must lie below 2^53, so the kernel's own image cannot be read.
 */
import { BadBinary, hex } from '../byte-reader.ts';
import type { ImageAddress } from '../image-address.ts';
import { SectionFlag, SectionType, SegmentType } from './constants.ts';
import { decompress } from './decompress.ts';
import { type FileHeader, readHeader } from './header.ts';
import { bytesInFile, readSections, type Section } from './sections.ts';
import { readSegments, type Segment } from './segments.ts';

export class ElfFile {
  readonly bytes: Uint8Array;
  readonly header: FileHeader;
  readonly segments: readonly Segment[];
  readonly sections: readonly Section[];
  /** The segments with bytes of the file, in the file's order. */
  readonly #loaded: readonly Segment[];

  /** `isObject`: as for `readHeader`. */
  constructor(bytes: Uint8Array, isObject = false) {
    // Views of a Buffer are slower to make.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.header = readHeader(this.bytes, isObject);
    this.segments = readSegments(this.bytes, this.header.segments);
    this.sections = readSections(this.bytes, this.header);
    // A debug file's segments are those of the program, which has the bytes.
    this.#loaded = this.isDebugFile
      ? []
      : this.segments.filter(({ type }) => type === SegmentType.load);
    this.#checkLoaded();
  }

  /** It has the sections of a program, but only debug information in them: code takes no room. */
  get isDebugFile(): boolean {
    return this.sections.some(
      ({ type, flags }) => type === SectionType.noBits && (flags & SectionFlag.execute) !== 0,
    );
  }

  section(name: string): Section | undefined {
    return this.sections.find((section) => section.name === name);
  }

  segment(type: number): Segment | undefined {
    return this.segments.find((segment) => segment.type === type);
  }

  /** What a section holds; `undefined` if there is none of that name, or nothing of it in this file. */
  content(name: string): Uint8Array | undefined {
    const section = this.section(name);
    if (section === undefined || section.type === SectionType.noBits) return undefined;
    return this.contentOf(section);
  }

  contentOf(section: Section): Uint8Array {
    const bytes = bytesInFile(this.bytes, section);
    const isCompressed = (section.flags & SectionFlag.compressed) !== 0;
    return isCompressed ? decompress(section.name, bytes) : bytes;
  }

  /** What the loader puts there; throws if not all of it is from the file. */
  imageBytesAt(address: ImageAddress, length: number): Uint8Array {
    const bytes = this.findImageBytes(address, length);
    if (bytes !== undefined) return bytes;
    throw new BadBinary(`the ${hex(length)} bytes at address ${hex(address)} are in no segment`);
  }

  findImageBytes(address: ImageAddress, length: number): Uint8Array | undefined {
    const bytes = this.imageBytesFrom(address);
    return bytes !== undefined && length >= 0 && length <= bytes.length
      ? bytes.subarray(0, length)
      : undefined;
  }

  /** From the address up to the end of its segment: for what has its length in itself. */
  imageBytesFrom(address: ImageAddress): Uint8Array | undefined {
    const segment = this.segmentAt(address);
    if (segment === undefined) return undefined;
    const start = segment.offset + (address - segment.address);
    return this.bytes.subarray(start, segment.offset + segment.sizeInFile);
  }

  /** The loaded segment with the byte of the file that comes to this address. */
  segmentAt(address: ImageAddress): Segment | undefined {
    return this.#loaded.find(
      (segment) => address >= segment.address && address - segment.address < segment.sizeInFile,
    );
  }

  #checkLoaded(): void {
    for (const { offset, sizeInFile, size, address } of this.#loaded) {
      if (offset + sizeInFile > this.bytes.length) {
        const place = `${hex(sizeInFile)} bytes at ${hex(offset)}`;
        throw new BadBinary(`it is cut short: a segment (${place}) is outside the file`);
      }
      if (sizeInFile > size || !Number.isSafeInteger(address + size)) {
        throw new BadBinary(`it is damaged: the segment at ${hex(offset)} has impossible sizes`);
      }
    }
  }
}

export const parseElf = (bytes: Uint8Array): ElfFile => new ElfFile(bytes);
