/**
 * A "common information entry": what the entries of many functions share. Its augmentation string says
 * what else there is, a letter each, as in `zPLR`:
 *
 *   z  lengths, so that what is not known can be passed over      P  a personality routine: who knows
 *   L  functions have language-specific data                         what to do with an exception
 *   R  how addresses are written                                  S  a signal handler's frame
 *   B  return addresses are signed with key B (not on x86-64)
 */
import { BadBinary, type ByteReader } from '../byte-reader.ts';
import type { ImageAddress } from '../image-address.ts';
import { Encoding, type Pointer, readPointer } from './pointer-encoding.ts';

export interface Cie {
  codeAlignment: number;
  dataAlignment: number;
  returnRegister: number;
  pointerEncoding: number;
  /** `Encoding.omitted` if functions have no language-specific data. */
  lsdaEncoding: number;
  personalityEncoding: number;
  personality: Pointer | undefined;
  isSignalFrame: boolean;
  hasAugmentationData: boolean;
  /** What every function's own instructions start from. */
  instructions: Uint8Array;
}

/** From behind the entry's length and its zero; `address` is that of the reader's first byte. */
export function readCie(reader: ByteReader, address: ImageAddress): Cie {
  const version = reader.u8();
  if (version !== 1 && version !== 3 && version !== 4) {
    throw new BadBinary(`.eh_frame has a CIE of version ${version}, which is not known`);
  }
  const augmentation = reader.cString();
  if (version === 4) checkAddressSize(reader);
  const cie: Cie = {
    codeAlignment: reader.uleb(),
    dataAlignment: reader.sleb(),
    returnRegister: version === 1 ? reader.u8() : reader.uleb(),
    pointerEncoding: 0,
    lsdaEncoding: Encoding.omitted,
    personalityEncoding: Encoding.omitted,
    personality: undefined,
    isSignalFrame: false,
    hasAugmentationData: augmentation.startsWith('z'),
    instructions: new Uint8Array(),
  };
  if (cie.hasAugmentationData) readAugmentation(reader, augmentation.slice(1), cie, address);
  else if (augmentation !== '') unknownAugmentation(augmentation);
  cie.instructions = reader.bytes(reader.left);
  return cie;
}

function readAugmentation(reader: ByteReader, letters: string, cie: Cie, address: number): void {
  const length = reader.uleb();
  const end = reader.at + length;
  for (const letter of letters) {
    if (letter === 'R') cie.pointerEncoding = reader.u8();
    else if (letter === 'L') cie.lsdaEncoding = reader.u8();
    else if (letter === 'S') cie.isSignalFrame = true;
    else if (letter === 'P') {
      cie.personalityEncoding = reader.u8();
      cie.personality = readPointer(reader, cie.personalityEncoding, { bytes: address });
    } else if (letter !== 'B') unknownAugmentation(letters);
  }
  reader.at = end;
}

function checkAddressSize(reader: ByteReader): void {
  const addressSize = reader.u8();
  const segmentSize = reader.u8();
  if (addressSize === 8 && segmentSize === 0) return;
  throw new BadBinary(`.eh_frame has a CIE for addresses of ${addressSize} bytes`);
}

function unknownAugmentation(augmentation: string): never {
  throw new BadBinary(
    `.eh_frame has a CIE with augmentation '${augmentation}', which is not known`,
  );
}
