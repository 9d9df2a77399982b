/**
 * Writes the CIEs of clones: each when the first function needs it, and once for all that are alike.
 * Addresses are always written as `DW_EH_PE_pcrel | DW_EH_PE_sdata4`.
 */
import type { ByteWriter } from '../byte-writer.ts';
import type { Cie } from './cie.ts';
import { endEntry } from './entry-end.ts';
import { Encoding } from './pointer-encoding.ts';
import { encodingFor } from './written-pointer.ts';

export class CieWriter {
  readonly #writer: ByteWriter;
  readonly #addressOf: (offset: number) => number;
  readonly #places = new Map<string, number>();
  /** The same by the original, of which there are few: no key has to be made for each function. */
  readonly #known = new Map<Cie, number>();

  constructor(writer: ByteWriter, addressOf: (offset: number) => number) {
    this.#writer = writer;
    this.#addressOf = addressOf;
  }

  /** Where in the table it stands; written now if it is the first of its kind. */
  placeFor(cie: Cie): number {
    const known = this.#known.get(cie);
    if (known !== undefined) return known;
    const letters = augmentation(cie);
    const key = JSON.stringify([
      ...[letters, cie.personality, cie.dataAlignment, cie.returnRegister],
      Buffer.from(cie.instructions).toString('hex'),
    ]);
    let place = this.#places.get(key);
    if (place === undefined) {
      place = this.#writer.length;
      this.#places.set(key, place);
      this.#write(cie, letters);
    }
    this.#known.set(cie, place);
    return place;
  }

  #write(cie: Cie, letters: string): void {
    const writer = this.#writer;
    const entryAt = writer.length;
    writer.u32(0);
    writer.u32(0);
    writer.u8(1);
    writer.bytes(Buffer.from(`${letters}\0`));
    writer.uleb(1); // advances are in bytes
    writer.sleb(cie.dataAlignment);
    writer.u8(cie.returnRegister);
    writer.uleb((letters.includes('P') ? 5 : 0) + (letters.includes('L') ? 1 : 0) + 1);
    if (cie.personality !== undefined) {
      writer.u8(encodingFor(cie.personality));
      writer.i32(cie.personality.target - this.#addressOf(writer.length));
    }
    if (letters.includes('L')) writer.u8(Encoding.pcRelative);
    writer.u8(Encoding.pcRelative);
    writer.bytes(cie.instructions);
    endEntry(writer, entryAt);
  }
}

function augmentation({ personality, lsdaEncoding, isSignalFrame }: Cie): string {
  const hasTables = lsdaEncoding !== Encoding.omitted;
  return `z${personality ? 'P' : ''}${hasTables ? 'L' : ''}R${isSignalFrame ? 'S' : ''}`;
}
