/**
 * Pointers from clones' tables to clones and image are four bytes, relative to the place where they are
 * written; through a slot if that of the original went through one.
 */
import type { ElfFile } from '../elf/elf-file.ts';
import type { Cie } from './cie.ts';
import { Refused } from './clone.ts';
import { Encoding, isAbsolute, type Pointer } from './pointer-encoding.ts';

/** 2 GB, less what the tables themselves may take. */
const FURTHEST = 2 ** 31 - 2 ** 28;

export const encodingFor = (pointer: Pointer | undefined): number =>
  Encoding.pcRelative | (pointer?.isIndirect ? Encoding.indirect : 0);

export function checkDistance(from: number, to: number): void {
  if (Math.abs(to - from) >= FURTHEST) throw new Refused('its clone is too far from the image');
}

export function checkPersonality(elf: ElfFile, cie: Cie, at: number): void {
  if (cie.returnRegister > 255) throw new Refused('its return address is in an unknown register');
  if (cie.personality === undefined) return;
  if (isAbsolute(cie.personalityEncoding) && elf.header.isPositionIndependent) {
    throw new Refused("its personality routine's address is one that the loader changes");
  }
  checkDistance(at, cie.personality.target);
}
