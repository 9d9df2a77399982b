/**
 * `.eh_frame`: for each function, how to find its caller's frame from each of its instructions. Nearly
 * all code has it, also in stripped files, so it also tells where functions start and end.
 *
 *   CIE  what many functions share: alignment factors, personality routine, first instructions
 *   FDE  0x1149…0x1180 goes by that CIE; its language-specific data (LSDA) is at 0x2140; instructions
 *
 * A CIE that is of an unknown kind makes only its own functions unreadable; they are counted. A table
 * that is damaged is `BadBinary`.
 */
import { BadBinary, ByteReader, hex } from '../byte-reader.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { type ImageAddress, imageAddress } from '../image-address.ts';
import { type Cie, readCie } from './cie.ts';
import { type EhFramePlace, findEhFrame } from './find-eh-frame.ts';
import { readPointer, readValue } from './pointer-encoding.ts';

export interface Fde {
  /** Of the entry, from the start of the table. */
  offset: number;
  cie: Cie;
  start: ImageAddress;
  end: ImageAddress;
  /** Where its `.gcc_except_table` entry stands. */
  lsda: ImageAddress | undefined;
  /** Call frame instructions; see `call-frame-instructions.ts`. */
  instructions: Uint8Array;
  /** The address of the first of them. */
  instructionsAt: ImageAddress;
}

export interface EhFrame {
  /** In the file's order, which need not be that of addresses. */
  fdes: Fde[];
  /** Entries that could not be understood, and why. */
  unreadable: { offset: number; reason: string }[];
}

/** A length of 0xffffffff means: a longer one follows, in 64 bits. */
const LONG = 0xffff_ffff;

export function readEhFrame(elf: ElfFile): EhFrame {
  const place = findEhFrame(elf);
  return place === undefined ? { fdes: [], unreadable: [] } : parseEhFrame(place);
}

export const parseEhFrame = (place: EhFramePlace): EhFrame => new EhFrameReader(place).read();

class EhFrameReader {
  readonly #reader: ByteReader;
  readonly #bytes: Uint8Array;
  readonly #address: ImageAddress;
  readonly #endsAtZero: boolean;
  /** By offset; a reason for those that cannot be read. */
  readonly #cies = new Map<number, Cie | string>();

  constructor({ bytes, address, endsAtZero }: EhFramePlace) {
    this.#bytes = bytes;
    this.#reader = new ByteReader(bytes, 0, bytes.length, '.eh_frame');
    this.#address = address;
    this.#endsAtZero = endsAtZero;
  }

  read(): EhFrame {
    const result: EhFrame = { fdes: [], unreadable: [] };
    const reader = this.#reader;
    while (reader.left >= 4) {
      const offset = reader.at;
      const end = this.#entryEnd();
      if (end === reader.at) {
        if (this.#endsAtZero) break;
        continue;
      }
      const idAt = reader.at;
      const id = reader.u32();
      // A CIE is read when an FDE asks for it.
      if (id !== 0) this.#readEntry(offset, idAt - id, end, result);
      reader.at = end;
    }
    return result;
  }

  #entryEnd(): number {
    const reader = this.#reader;
    const offset = reader.at;
    const length = reader.u32();
    const end = length === LONG ? reader.u64() + reader.at : length + reader.at;
    if (end <= reader.end) return end;
    throw new BadBinary(`the entry at ${hex(offset)} of .eh_frame reaches beyond its end`);
  }

  #readEntry(offset: number, cieOffset: number, end: number, result: EhFrame): void {
    const cie = this.#cieAt(cieOffset);
    if (typeof cie === 'string') {
      result.unreadable.push({ offset, reason: cie });
      return;
    }
    try {
      result.fdes.push(this.#readFde(offset, cie, end));
    } catch (error) {
      if (!(error instanceof BadBinary)) throw error;
      result.unreadable.push({ offset, reason: error.message });
    }
  }

  #readFde(offset: number, cie: Cie, end: number): Fde {
    const reader = new ByteReader(this.#bytes, this.#reader.at, end, '.eh_frame');
    const bases = { bytes: this.#address as number };
    const start = imageAddress(readPointer(reader, cie.pointerEncoding, bases)?.target ?? 0);
    const size = readValue(reader, cie.pointerEncoding);
    let lsda: ImageAddress | undefined;
    if (cie.hasAugmentationData) {
      const length = reader.uleb();
      const after = reader.at + length;
      const pointer = readPointer(reader, cie.lsdaEncoding, { ...bases, function: start });
      if (pointer?.isIndirect) throw new BadBinary('its language-specific data is indirect');
      lsda = pointer && imageAddress(pointer.target);
      reader.at = after;
    }
    const instructionsAt = imageAddress(this.#address + reader.at);
    const instructions = reader.bytes(reader.left);
    const last = imageAddress(start + size);
    if (!(start >= 0 && size >= 0 && Number.isSafeInteger(last))) {
      throw new BadBinary(`the entry at ${hex(offset)} of .eh_frame is about impossible addresses`);
    }
    return { offset, cie, start, end: last, lsda, instructions, instructionsAt };
  }

  #cieAt(offset: number): Cie | string {
    let cie = this.#cies.get(offset);
    if (cie === undefined) {
      cie = this.#tryCie(offset);
      this.#cies.set(offset, cie);
    }
    return cie;
  }

  #tryCie(offset: number): Cie | string {
    try {
      const reader = new ByteReader(this.#bytes, offset, this.#bytes.length, '.eh_frame');
      const length = reader.u32();
      const end = length === LONG ? reader.u64() + reader.at : length + reader.at;
      if (reader.u32() !== 0) throw new BadBinary(`there is no CIE at ${hex(offset)} of .eh_frame`);
      const content = new ByteReader(this.#bytes, reader.at, end, `the CIE at ${hex(offset)}`);
      return readCie(content, this.#address);
    } catch (error) {
      if (error instanceof BadBinary) return error.message;
      throw error;
    }
  }
}
