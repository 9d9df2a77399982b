/**
 * The call frame instructions of a clone: those of the function, with other distances between them.
 *
 *   advance_loc 1         1149 → 114a in the function
 *   advance_loc4 20       and 0x9149 → 0x915d in the clone, which has more instructions there
 *
 * Everything else is copied byte by byte, but for expressions that go by the address of the code: these
 * would be wrong anywhere else.
 */

import { hex } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import {
  type CallFrameInstruction,
  decodeCallFrame,
  decodeFirstInstructions,
  Opcode,
} from './call-frame-instructions.ts';
import { type Clone, placeInClone, Refused } from './clone.ts';
import type { Fde } from './eh-frame.ts';
import { dependsOnPlace } from './expression.ts';

export function cloneCallFrame(clone: Clone): Uint8Array {
  const { fde } = clone;
  const writer = new ByteWriter();
  let location: number = fde.start;
  let placeBefore = clone.start;
  for (const instruction of decodeCallFrame(fde)) {
    const { opcode, from, to, advance, location: set } = instruction;
    if (opcode === Opcode.nop) continue;
    checkExpression(instruction);
    if (advance === undefined && set === undefined) {
      writer.bytes(fde.instructions.subarray(from, to));
      continue;
    }
    location = set ?? location + (advance ?? 0);
    if (location > fde.end) throw new Refused(`unwind row ${hex(location)} is beyond its end`);
    const place = placeInClone(clone, location, 'unwind row');
    writeAdvance(writer, place - placeBefore, location);
    placeBefore = place;
  }
  return writer.written();
}

/** What the CIE of a clone starts with: the same, if it is the same anywhere. */
export function checkFirstInstructions(fde: Fde): void {
  for (const instruction of decodeFirstInstructions(fde)) {
    checkExpression(instruction);
    if (instruction.advance !== undefined) throw new Refused('its CIE advances the location');
  }
}

function checkExpression({ expression }: CallFrameInstruction): void {
  if (expression !== undefined && dependsOnPlace(expression)) {
    throw new Refused('an unwind expression depends on where the code is');
  }
}

function writeAdvance(writer: ByteWriter, distance: number, location: number): void {
  if (distance === 0) return;
  if (distance < 0 || distance >= 2 ** 32) {
    throw new Refused(`unwind row ${hex(location)} comes earlier in the clone`);
  }
  writer.u8(Opcode.advance4);
  writer.u32(distance);
}
