/** The tables of a blob that tell where clones and originals meet. */
import { FlowControl } from 'iced-x86';
import { hasSwitch } from '../code/computed-jumps.ts';
import type { Instruction } from '../code/instruction.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { imageAddress } from '../image-address.ts';
import type { FunctionClone, Surroundings } from './clone-image.ts';
import { patchPlace } from './patches.ts';
import { translationTable } from './translations.ts';

/** Pairs: where a function's jump goes, and where it leads. */
export function patchTable(
  elf: ElfFile,
  clones: readonly FunctionClone[],
  { entries: known, isCallerSensitive }: Surroundings,
): Uint32Array {
  const entries = new Set(known);
  for (const { code, jumpTargets: computed } of clones) {
    for (const instruction of code.instructions) {
      entries.add(instruction.target);
      if (isCallerSensitive(instruction)) entries.add(instruction.address);
    }
    for (const target of code.landingPads) entries.add(target);
    for (const target of computed) entries.add(target);
  }
  const bytesAt = (address: number, length: number): Uint8Array =>
    elf.imageBytesFrom(imageAddress(address))?.subarray(0, length) ?? new Uint8Array(0);
  const patches: number[] = [];
  for (const { code, places } of clones) {
    const at = patchPlace(code, { entries, bytesAt });
    if (at !== undefined) patches.push(at, places[code.places.get(at)!]!);
  }
  return Uint32Array.from(patches);
}

/** For all instructions of functions in which somebody may compute where to go on. */
export function computedJumpTable(clones: readonly FunctionClone[]): Uint32Array {
  const pairs = clones.flatMap(({ code, places }) =>
    hasSwitch(code)
      ? code.instructions.map(({ address }, place) => [address, places[place]!] as const)
      : [],
  );
  return translationTable(pairs);
}

/** Pairs, in the order of the first: where a call in a clone returns to, there and in the original. */
export function returnTable(clones: readonly FunctionClone[]): Uint32Array {
  const pairs: number[] = [];
  for (const { code, places } of clones) {
    for (const [place, instruction] of code.instructions.entries()) {
      if (!isCall(instruction)) continue;
      // Not where the next one's clone starts: what that logs comes first, but it returns there, too.
      pairs.push(places[place + 1]!, instruction.address + instruction.length);
    }
  }
  return Uint32Array.from(pairs);
}

const isCall = ({ flow }: Instruction): boolean =>
  flow === FlowControl.Call || flow === FlowControl.IndirectCall;
