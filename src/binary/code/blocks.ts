/**
 * Where basic blocks begin: at the start, at what jumps lead to, after what does not just go on, and where
 * exceptions are caught. Returns a byte for each instruction, 1 where a block begins.
 */
import { FlowControl } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';

/** @param alsoTargets addresses that computed jumps may lead to, as far as they are known. */
export function blockStarts(code: FunctionCode, alsoTargets: Iterable<number> = []): Uint8Array {
  const starts = jumpedTo(code, alsoTargets);
  starts[0] = 1;
  for (const [place, { flow }] of code.instructions.entries()) {
    if (flow !== FlowControl.Next) starts[place + 1] = 1;
  }
  return starts;
}

/** The same, but only where something leads that is not the instruction before. */
export function jumpedTo(code: FunctionCode, alsoTargets: Iterable<number> = []): Uint8Array {
  const { instructions, places, jumps, landingPads } = code;
  const targets = new Uint8Array(instructions.length + 1);
  for (const target of jumps) if (target >= 0) targets[target] = 1;
  for (const addresses of [landingPads, alsoTargets]) {
    for (const address of addresses) {
      const place = places.get(address);
      if (place !== undefined) targets[place] = 1;
    }
  }
  return targets;
}
