/** The tables of a blob that tell where clones and originals meet. */
import { FlowControl } from 'iced-x86';
import { isComputedJump, isTailCall } from '../code/computed-jumps.ts';
import type { Instruction } from '../code/instruction.ts';
import type { ElfFile } from '../elf/elf-file.ts';
import { imageAddress } from '../image-address.ts';
import type { FunctionClone } from './clone-image.ts';
import { patchPlace } from './patches.ts';
import { translationTable } from './translations.ts';

/** Pairs: where a function's jump goes, and where it leads. */
export function patchTable(elf: ElfFile, clones: readonly FunctionClone[]): Uint32Array {
  const jumpTargets = new Set<number>();
  const starts = new Set<number>();
  for (const { code, jumpTargets: computed } of clones) {
    starts.add(code.start);
    for (const { target } of code.instructions) if (target >= 0) jumpTargets.add(target);
    for (const target of code.landingPads) jumpTargets.add(target);
    for (const target of computed) jumpTargets.add(target);
  }
  const patches: number[] = [];
  for (const { code, places } of clones) {
    const at = patchPlace(code, {
      jumpTargets,
      byteAt: (address) => elf.findImageBytes(imageAddress(address), 1)?.[0],
      isInFunction: (address) => starts.has(address),
    });
    if (at !== undefined) patches.push(at, places[code.places.get(at)!]!);
  }
  return Uint32Array.from(patches);
}

/** For all instructions of functions in which somebody may compute where to go on. */
export function computedJumpTable(clones: readonly FunctionClone[]): Uint32Array {
  const pairs = clones.flatMap(({ code, places }) =>
    code.instructions.some((one, place) => isComputedJump(one) && !isTailCall(code, place))
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
