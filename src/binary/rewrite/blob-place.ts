/**
 * Where the clones of an image go, relative to it: within two gigabytes, which is how far a jump reaches.
 * Below it, there is room in a process that has just been started; the heap grows above. Libraries lie close
 * together, so the exact distance is spread by the build-id. A program that cannot be moved lies at the very
 * bottom of memory: for that, a gigabyte above, beyond the heap.
 */

import { readBuildId } from '../elf/build-id.ts';
import { SegmentType } from '../elf/constants.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { programKind } from '../elf/program-kind.ts';

const MEGABYTE = 2 ** 20;
const NEAREST = 256 * MEGABYTE;
const STEP = 16 * MEGABYTE;
const STEPS = 48;
const ABOVE = 1024 * MEGABYTE;

export function blobBase(elf: ElfFile): number {
  if (!programKind(elf).isPositionIndependent) {
    const ends = elf.segments
      .filter(({ type }) => type === SegmentType.load)
      .map(({ address, size }) => address + size);
    return Math.ceil((Math.max(...ends) + ABOVE) / MEGABYTE) * MEGABYTE;
  }
  const spread = Number.parseInt(readBuildId(elf)?.slice(0, 4) || '0', 16) % STEPS;
  return -(NEAREST + spread * STEP);
}
