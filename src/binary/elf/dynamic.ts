/**
 * What the loader is told: which libraries to load, and where its tables stand. Found by its segment,
 * so it is there in files without section headers, too; not in static programs (but for those that are
 * position independent, which relocate themselves).
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { DynamicTag, IS_PIE, SegmentType } from './constants.ts';
import type { ElfFile } from './elf-file.ts';

export class Dynamic {
  readonly isPresent: boolean;
  readonly #elf: ElfFile;
  readonly #values = new Map<number, number>();
  readonly #needed: number[] = [];

  constructor(elf: ElfFile) {
    this.#elf = elf;
    const segment = elf.isDebugFile ? undefined : elf.segment(SegmentType.dynamic);
    this.isPresent = segment !== undefined;
    if (segment === undefined) return;
    const { offset, sizeInFile } = segment;
    const reader = new ByteReader(elf.bytes, offset, offset + sizeInFile, 'the dynamic section');
    while (reader.left >= 16) {
      const tag = reader.bigU64();
      const value = reader.bigU64();
      if (tag === BigInt(DynamicTag.end)) break;
      // Tags of other systems' loaders may have any value; no place or size here is that large.
      if (value > Number.MAX_SAFE_INTEGER || tag > Number.MAX_SAFE_INTEGER) continue;
      if (tag === BigInt(DynamicTag.needed)) this.#needed.push(Number(value));
      else this.#values.set(Number(tag), Number(value));
    }
  }

  /** What stands beside one of `DynamicTag`. */
  value(tag: number): number | undefined {
    return this.#values.get(tag);
  }

  /** The names of the libraries it wants, as in the file: `libc.so.6`. */
  get needed(): string[] {
    return this.#needed.map((at) => this.string(at));
  }

  /** The name that a shared library goes by. */
  get soname(): string | undefined {
    const at = this.value(DynamicTag.soname);
    return at === undefined ? undefined : this.string(at);
  }

  get isMarkedAsProgram(): boolean {
    return ((this.value(DynamicTag.flags1) ?? 0) & IS_PIE) !== 0;
  }

  string(at: number): string {
    const strings = this.table(DynamicTag.strings, DynamicTag.stringsSize);
    if (strings === undefined) throw new BadBinary('the dynamic section has no strings');
    return new ByteReader(strings.bytes, at, strings.bytes.length, 'dynamic strings').cString();
  }

  /** A table that has one tag for its address and one for its size. */
  table(
    addressTag: number,
    sizeTag: number,
  ): { address: ImageAddress; bytes: Uint8Array } | undefined {
    const at = this.value(addressTag);
    const size = this.value(sizeTag);
    if (at === undefined || size === undefined || size === 0) return undefined;
    const address = imageAddress(at);
    return { address, bytes: this.#elf.imageBytesAt(address, size) };
  }
}
