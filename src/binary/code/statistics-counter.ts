/**
 * Whether an instruction looks like that of a statistics counter, `inc [requests]`: a constant is added, which goes
 * up only, and nothing else in the function is about the same place, nor about the sum.
 */
import { type Instruction, type MemoryOperand, NOWHERE } from './instruction.ts';
import { addedConstant } from './touched-bits.ts';

export const LOOKS_LIKE_STATISTICS =
  'it looks like a statistics counter: both sides add a constant, and use the sum for nothing else';

/** `instructions`: all of the function; `bytes`: of that one. */
export function isStatisticsCounter(
  instruction: Instruction,
  bytes: Uint8Array,
  instructions: readonly Instruction[],
): boolean {
  const added = addedConstant(bytes);
  if (added === undefined || added <= 0n || isSumUsed(instruction, instructions)) return false;
  const [operand] = instruction.memory;
  return instructions.every(
    (one) =>
      one === instruction ||
      !one.memory.some((touched) => isSamePlace(one, touched, instruction, operand!)),
  );
}

/** The flags of the addition, as in `if (--users == 0)`. */
function isSumUsed(instruction: Instruction, instructions: readonly Instruction[]): boolean {
  const after = instructions
    .slice(instructions.indexOf(instruction) + 1)
    .find(({ readsFlags, replacesFlags }) => readsFlags || replacesFlags);
  return after?.readsFlags === true;
}

/** Registers may have other names for it by then, so that only what is added to them counts. */
const isSamePlace = (
  one: Instruction,
  touched: MemoryOperand,
  other: Instruction,
  operand: MemoryOperand,
): boolean =>
  touched.place === operand.place &&
  one.relativeOperand === other.relativeOperand &&
  (one.relativeOperand !== NOWHERE || touched.displacement === operand.displacement);
