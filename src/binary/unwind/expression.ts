/**
 * Whether a DWARF expression in an unwind table would say something else for the same code elsewhere:
 * because it uses the instruction pointer, as the linker's expression for the procedure linkage table
 * does, or a fixed address. What is not known counts as such. DWARF 5, section 2.5.
 */
import { BadBinary, ByteReader } from '../byte-reader.ts';

/** rip's number in unwind tables (psABI, figure 3.36). */
const INSTRUCTION_POINTER = 16;

/** Operands of opcodes below 0x30: a size in bytes, or l(eb). Those not here have no place in a table. */
const OPERANDS: ReadonlyMap<number, readonly (number | 'l')[]> = new Map([
  [0x08, [1]], // const1u
  [0x09, [1]],
  [0x0a, [2]],
  [0x0b, [2]],
  [0x0c, [4]],
  [0x0d, [4]],
  [0x0e, [8]],
  [0x0f, [8]], // const8s
  [0x10, ['l']], // constu
  [0x11, ['l']], // consts
  [0x15, [1]], // pick
  [0x23, ['l']], // plus_uconst
  [0x28, [2]], // bra
  [0x2f, [2]], // skip
]);

export function dependsOnPlace(expression: Uint8Array): boolean {
  try {
    const reader = new ByteReader(expression, 0, expression.length, 'an expression');
    while (reader.left > 0) if (operationDependsOnPlace(reader)) return true;
    return false;
  } catch (error) {
    if (error instanceof BadBinary) return true;
    throw error;
  }
}

function operationDependsOnPlace(reader: ByteReader): boolean {
  const opcode = reader.u8();
  const operands = OPERANDS.get(opcode);
  if (operands !== undefined) {
    for (const operand of operands) {
      if (operand === 'l') reader.skipLeb();
      else reader.skip(operand);
    }
    return false;
  }
  if (opcode === 0x06 || (opcode >= 0x12 && opcode <= 0x2e)) return false; // stack and arithmetic
  if (opcode >= 0x30 && opcode <= 0x4f) return false; // lit0…lit31
  if (opcode >= 0x50 && opcode <= 0x6f) return opcode - 0x50 === INSTRUCTION_POINTER; // reg0…31
  if (opcode >= 0x70 && opcode <= 0x8f) {
    reader.skipLeb(); // breg0…31: an offset
    return opcode - 0x70 === INSTRUCTION_POINTER;
  }
  if (opcode === 0x94) {
    reader.skip(1); // deref_size
    return false;
  }
  return opcode !== 0x96; // nop; everything else, addr among them
}
