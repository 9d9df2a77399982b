/**
 * Whether an instruction looks like that of a statistics counter, `inc [requests]`: a constant is added, which goes
 * up only, and nothing else in the function is about the same place, nor about the sum. It may be one of several that
 * do so together (counting-steps.ts).
 */
import { countingSteps } from './counting-steps.ts';
import type { Instruction } from './instruction.ts';
import { isSamePlace } from './same-place.ts';
import { addedConstant } from './touched-bits.ts';

export const LOOKS_LIKE_STATISTICS =
  'it looks like a statistics counter: both sides add a constant, and use the sum for nothing else';

/** `instructions`: all of the function. */
export function isStatisticsCounter(
  instruction: Instruction,
  bytesOf: (one: Instruction) => Uint8Array,
  instructions: readonly Instruction[],
): boolean {
  const counted = countedBy(instruction, bytesOf, instructions);
  if (counted === undefined || counted.added <= 0n) return false;
  const { by } = counted;
  if (by.length === 1 && isSumUsed(instruction, instructions)) return false;
  const [operand] = instruction.memory;
  return instructions.every(
    (one) =>
      by.includes(one) ||
      !one.memory.some((touched) => isSamePlace(one, touched, instruction, operand!)),
  );
}

/** `dec [users]`: what goes down again counts what is there, as references do. */
export function countsDown(
  instruction: Instruction,
  bytesOf: (one: Instruction) => Uint8Array,
  instructions: readonly Instruction[],
): boolean {
  const counted = countedBy(instruction, bytesOf, instructions);
  return counted !== undefined && counted.added < 0n;
}

interface Counted {
  readonly added: bigint;
  readonly by: readonly Instruction[];
}

function countedBy(
  instruction: Instruction,
  bytesOf: (one: Instruction) => Uint8Array,
  instructions: readonly Instruction[],
): Counted | undefined {
  const added = addedConstant(bytesOf(instruction));
  if (added !== undefined) return { added, by: [instruction] };
  const steps = countingSteps(instruction, bytesOf, instructions);
  return steps && { added: steps.added, by: [steps.load, steps.store] };
}

/** The flags of the addition, as in `if (--users == 0)`. */
function isSumUsed(instruction: Instruction, instructions: readonly Instruction[]): boolean {
  const after = instructions
    .slice(instructions.indexOf(instruction) + 1)
    .find(({ readsFlags, replacesFlags }) => readsFlags || replacesFlags);
  return after?.readsFlags === true;
}
