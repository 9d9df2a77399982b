/**
 * What a sample at a place tells of accesses, before any sample is looked at: of the instruction there, and of
 * those around it whose addresses hang on registers that the sample still, or already, has (the paper's
 * section 4.4). The same for all samples at that place, so that each only has to put in its numbers.
 *
 *   mov rax,[rbx+8]     rbx+8
 *   add rbx,16
 *   mov [rbx],rax       ← sampled here: rbx; so the first was about rbx-16+8
 *   mov rcx,[rax]       rax
 *   mov rdx,[rcx]       nobody knows: rcx comes from memory
 */

import { RCX } from '../../../binary/code/general-registers.ts';
import type { Instruction, MemoryOperand } from '../../../binary/code/instruction.ts';
import { tellsWhatItTouches } from '../../../binary/code/touched-memory.ts';
import { type Expression, type RegisterState, sampledState } from './expression.ts';
import { operandAddress, stateAfter, stateBefore } from './register-state.ts';
import type { SurePath } from './sure-path.ts';

export interface PlannedAccess {
  readonly instruction: Instruction;
  /** Which of its operands. */
  readonly operand: number;
  readonly address: Expression;
  /** How often it is repeated, as rep does; undefined for once. */
  readonly times: Expression | undefined;
  /** How many instructions further on; below 0 for those that came before, and 0 for the one at the place. */
  readonly distance: number;
}

/** Nearest first; `bytesOf`: of an instruction. */
export function extensionPlan(
  { before, after }: SurePath,
  bytesOf: (instruction: Instruction) => Uint8Array,
): PlannedAccess[] {
  const plan: PlannedAccess[] = [];
  let state = sampledState();
  for (const [distance, instruction] of after.entries()) {
    plan.push(...accessesOf(instruction, state, bytesOf, distance));
    state = stateAfter(state, instruction);
  }
  state = sampledState();
  for (const [number, instruction] of before.entries()) {
    state = stateBefore(state, instruction);
    plan.push(...accessesOf(instruction, state, bytesOf, -1 - number));
  }
  return plan;
}

function accessesOf(
  instruction: Instruction,
  state: RegisterState,
  bytesOf: (instruction: Instruction) => Uint8Array,
  distance: number,
): PlannedAccess[] {
  const { memory, repetition } = instruction;
  if (memory.length === 0 || !tellsWhatItTouches(instruction, bytesOf(instruction))) return [];
  const isRepeated = repetition !== 'none';
  // How often it was repeated cannot be told afterwards, nor how far a search went.
  if (isRepeated && (distance < 0 || repetition === 'searching')) return [];
  const times = isRepeated ? state[RCX] : undefined;
  if (isRepeated && times === undefined) return [];
  return memory.flatMap((operand, number) => {
    const address = isAccess(operand) ? operandAddress(state, instruction, operand) : undefined;
    if (address === undefined) return [];
    return [{ instruction, operand: number, address, times, distance }];
  });
}

/** What is pushed is on the thread's own stack. */
export const isAccess = ({ place, size }: MemoryOperand): boolean =>
  (place === 'memory' || place === 'fs' || place === 'gs') && size > 0;
