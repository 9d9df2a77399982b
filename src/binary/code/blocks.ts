/**
 * Where basic blocks begin: at the start, at what jumps lead to, after what does not just go on, and where
 * exceptions are caught. Returns a byte for each instruction, 1 where a block begins.
 */
import { FlowControl } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';

/** @param alsoTargets addresses that computed jumps may lead to, as far as they are known. */
export function blockStarts(code: FunctionCode, alsoTargets: Iterable<number> = []): Uint8Array {
  const { instructions, places, jumps, landingPads } = code;
  const starts = new Uint8Array(instructions.length + 1);
  starts[0] = 1;
  for (const [place, instruction] of instructions.entries()) {
    if (instruction.flow !== FlowControl.Next) starts[place + 1] = 1;
    const target = jumps[place]!;
    if (target >= 0) starts[target] = 1;
  }
  for (const address of [...landingPads, ...alsoTargets]) {
    const place = places.get(address);
    if (place !== undefined) starts[place] = 1;
  }
  return starts;
}
