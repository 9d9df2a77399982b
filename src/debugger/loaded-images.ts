/**
 * The files that a process has mapped as code, and where: from an address of the process to one of a file and
 * back.
 *
 *   find('/usr/lib/libz.so.1.2.13')       { bias: 0x7ffff7c00000n, image }
 *   at(0x7ffff7c0123en)                   the same; 0x123e is its address in the file
 */
import { readFileSync } from 'node:fs';
import { FlowControl } from 'iced-x86';
import { firstIndex } from '../base/bisect.ts';
import { encodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';
import { decode } from '../binary/code/decode.ts';
import type { Instruction } from '../binary/code/instruction.ts';
import { SegmentFlag, SegmentType } from '../binary/elf/constants.ts';
import { type ElfFile, parseElf } from '../binary/elf/elf-file.ts';
import { type Imports, readImports } from '../binary/elf/imports.ts';
import { imageAddress } from '../binary/image-address.ts';
import { type Fde, readEhFrame } from '../binary/unwind/eh-frame.ts';
import { type Pid, type TraceeAddress, traceeAddress } from '../linux/ids.ts';
import { type Mapping, mappingsOf } from '../linux/memory-maps.ts';
import { runningProgram } from '../linux/running-process.ts';
import { findDebugFile } from './debug-file.ts';
import { type ImageFunction, imageFunctions } from './image-functions.ts';
import { type ImageNames, namesIn } from './image-names.ts';

export interface KnownInstruction {
  readonly address: number;
  readonly bytes: Uint8Array;
  /** It is a call, and an access of what is called: `memcpy`. */
  readonly callee: string | undefined;
}

/** What is read of a file, when somebody asks. */
export class CodeImage {
  readonly path: string;
  readonly elf: ElfFile;
  #names: ImageNames | undefined;
  #fdes: readonly Fde[] | undefined;
  #imports: Imports | undefined;
  #functions: readonly ImageFunction[] | undefined;
  #debugFile: ElfFile | undefined;

  readonly #isTraced: boolean;

  /** Of an image that was not traced, no debug file is read: that of libc takes a second, to name what everybody knows. */
  constructor(path: string, elf: ElfFile, isTraced: boolean) {
    this.path = path;
    this.elf = elf;
    this.#isTraced = isTraced;
  }

  get names(): ImageNames {
    this.#names ??= namesIn(this.elf, this.#withDebug);
    return this.#names;
  }

  /** In the order of their addresses; no two of them overlap. */
  get functions(): readonly ImageFunction[] {
    this.#fdes ??= readFdes(this.elf);
    this.#functions ??= imageFunctions(this.elf, this.#withDebug, this.#fdes);
    return this.#functions;
  }

  functionAt(address: number): ImageFunction | undefined {
    const { functions } = this;
    const found = functions[firstIndex(functions, ({ start }) => start > address) - 1];
    return found !== undefined && address < found.end ? found : undefined;
  }

  get #withDebug(): ElfFile {
    this.#debugFile ??= this.#isTraced ? findDebugFile(this.path, this.elf).elf : this.elf;
    return this.#debugFile;
  }

  /**
   * What begins there. undefined if nothing is known to: a breakpoint in the middle of an instruction would make
   * another of it. A trace has a call by the address of its last byte.
   */
  instructionAt(address: number): KnownInstruction | undefined {
    const fde = this.fdeAt(address);
    const code = fde && this.elf.findImageBytes(fde.start, fde.end - fde.start);
    const decoded = fde && code && decode(code, fde.start);
    if (!fde || !code || !decoded?.ok) return undefined;
    const found = decoded.value.find((one) => one.address + one.length > address);
    if (found === undefined) return undefined;
    const callee = this.#calleeOf(found);
    const isCall = callee !== undefined && address === found.address + found.length - 1;
    if (found.address !== address && !isCall) return undefined;
    const from = found.address - fde.start;
    const bytes = code.subarray(from, from + found.length);
    return { address: found.address, bytes, callee: isCall ? callee : undefined };
  }

  /** Where the instruction begins that ends there. */
  instructionEndingAt(address: number): number | undefined {
    const fde = this.fdeAt(address - 1);
    const code = fde && this.elf.findImageBytes(fde.start, fde.end - fde.start);
    const decoded = fde && code && decode(code, fde.start);
    if (!decoded?.ok) return undefined;
    return decoded.value.find((one) => one.address + one.length === address)?.address;
  }

  /** The name of what a call leads to, if it is in another image. */
  #calleeOf({ flow, target, relativeOperand }: Instruction): string | undefined {
    if (flow !== FlowControl.Call && flow !== FlowControl.IndirectCall) return undefined;
    this.#imports ??= readImports(this.elf);
    const { stubs, slots } = this.#imports;
    return stubs.get(imageAddress(target)) ?? slots.get(imageAddress(relativeOperand));
  }

  /** Whether the loader puts anything of it there. */
  covers(address: number): boolean {
    return this.elf.segments.some(
      (one) =>
        one.type === SegmentType.load && address >= one.address && address < one.address + one.size,
    );
  }

  /** The unwind entry of the function at an address. */
  fdeAt(address: number): Fde | undefined {
    this.#fdes ??= readFdes(this.elf);
    const fde = this.#fdes[firstIndex(this.#fdes, ({ start }) => start > address) - 1];
    return fde !== undefined && address < fde.end ? fde : undefined;
  }
}

function readFdes(elf: ElfFile): readonly Fde[] {
  const read = tryTo(() => readEhFrame(elf).fdes.sort((a, b) => a.start - b.start));
  return read.ok ? read.value : [];
}

export interface LoadedImage {
  readonly image: CodeImage;
  /** What to add to an address of the file. */
  readonly bias: bigint;
  /** Of a copy of its code that has moved the stack: so much further down than the original would have it. */
  readonly stackMoved?: bigint | undefined;
}

/** Kept from one run of the program to the next. */
export class ImageFiles {
  readonly #images = new Map<string, CodeImage | undefined>();
  readonly #isTraced: (path: string) => boolean;

  /** `isTraced`: those that people want to know lines of. */
  constructor(isTraced: (path: string) => boolean) {
    this.#isTraced = isTraced;
  }

  /** undefined if it cannot be read, or is no such file. */
  get(path: string): CodeImage | undefined {
    if (!this.#images.has(path)) {
      const isTraced = this.#isTraced(path);
      const read = tryTo(
        () => new CodeImage(path, parseElf(readFileSync(encodeBytes(path))), isTraced),
      );
      this.#images.set(path, read.ok ? read.value : undefined);
    }
    return this.#images.get(path);
  }
}

const PAGE = 4096;

export class LoadedImages {
  readonly #mappings: readonly Mapping[];
  readonly #files: ImageFiles;

  /** As they are now. */
  constructor(process: Pid, files: ImageFiles) {
    this.#mappings = mappingsOf(process).filter(
      ({ isExecutable, inode }) => isExecutable && inode !== 0,
    );
    this.#files = files;
  }

  /** `path`: without symbolic links. */
  find(path: string): LoadedImage | undefined {
    const mapping = this.#mappings.find((one) => one.path === path);
    return mapping && this.#loaded(mapping);
  }

  executableOf(process: Pid): LoadedImage | undefined {
    return this.find(runningProgram(process).path);
  }

  /** Where the executable's dynamic table is in the process. */
  dynamicTableOf(process: Pid): TraceeAddress | undefined {
    const executable = this.executableOf(process);
    const segment = executable?.image.elf.segment(SegmentType.dynamic);
    return executable && segment && traceeAddress(executable.bias + BigInt(segment.address));
  }

  /** The one with code at this address of the process. */
  at(address: bigint): LoadedImage | undefined {
    const mapping = this.#mappings.find(({ start, end }) => address >= start && address < end);
    return mapping && this.#loaded(mapping);
  }

  /** All of them, once each. */
  all(): LoadedImage[] {
    const firsts = new Map(this.#mappings.toReversed().map((mapping) => [mapping.path, mapping]));
    return [...firsts.values()].flatMap((mapping) => this.#loaded(mapping) ?? []);
  }

  /** The one whose code or data is at this address; data may be on either side of the code. */
  around(address: bigint): LoadedImage | undefined {
    const above = firstIndex(this.#mappings, ({ start }) => start > address);
    const neighbours = this.#mappings.slice(Math.max(0, above - 1), above + 1);
    return neighbours
      .flatMap((mapping) => this.#loaded(mapping) ?? [])
      .find(({ bias, image }) => address >= bias && image.covers(Number(address - bias)));
  }

  #loaded({ path, start, offset }: Mapping): LoadedImage | undefined {
    const image = this.#files.get(path);
    const segment = image?.elf.segments.find(
      (one) =>
        one.type === SegmentType.load &&
        (one.flags & SegmentFlag.execute) !== 0 &&
        one.offset - (one.offset % PAGE) <= offset &&
        offset < one.offset + one.sizeInFile,
    );
    if (image === undefined || segment === undefined) return undefined;
    return { image, bias: start - BigInt(offset - segment.offset + segment.address) };
  }
}
