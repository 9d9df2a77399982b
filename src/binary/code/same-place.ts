/** Whether two instructions of a function may be about the same place in memory, for hints. */
import { type Instruction, type MemoryOperand, NOWHERE } from './instruction.ts';

/** Registers may have other names for it by then, so that only what is added to them counts. */
export const isSamePlace = (
  one: Instruction,
  touched: MemoryOperand,
  other: Instruction,
  operand: MemoryOperand,
): boolean =>
  touched.place === operand.place &&
  one.relativeOperand === other.relativeOperand &&
  (one.relativeOperand !== NOWHERE || touched.displacement === operand.displacement);
