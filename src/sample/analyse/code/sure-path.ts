/**
 * Which instructions have surely been executed right before a place, and which surely come next.
 *
 *   mov rbx,[rdi]        before: nothing jumps to what follows,
 *   test rbx,rbx
 *   je  out              and since we are behind it, this one did not jump
 *   mov rax,[rbx+8]      ← here
 *   jmp on               next: it goes on where this leads
 *   …
 *   on: add [rbp-8],rax
 *   call f               and here it ends, with what the call itself reads
 *
 * A call, a system call or a return ends it in both directions, and so nothing in it can be a lock operation
 * that deadheat knows of.
 */
import { FlowControl } from 'iced-x86';
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import type { Instruction } from '../../../binary/code/instruction.ts';

export interface SurePath {
  /** Nearest first. */
  readonly before: readonly Instruction[];
  /** From the place on. */
  readonly after: readonly Instruction[];
}

/** Behind so many, what is found is of little use: it was long ago, or will be. */
const LONGEST = 64;

/** `isJumpedTo`: a byte for each instruction, 1 if something may lead there that is not the one before. */
export const surePath = (code: FunctionCode, isJumpedTo: Uint8Array, place: number): SurePath => ({
  before: instructionsBefore(code, isJumpedTo, place),
  after: instructionsAfter(code, place),
});

function instructionsBefore(
  { instructions }: FunctionCode,
  isJumpedTo: Uint8Array,
  place: number,
): Instruction[] {
  const before: Instruction[] = [];
  for (let at = place; at > 0 && isJumpedTo[at] === 0 && before.length < LONGEST; at--) {
    const { flow } = instructions[at - 1]!;
    if (flow !== FlowControl.Next && flow !== FlowControl.ConditionalBranch) break;
    before.push(instructions[at - 1]!);
  }
  return before;
}

function instructionsAfter({ instructions, jumps }: FunctionCode, place: number): Instruction[] {
  const after: Instruction[] = [];
  for (let at = place; at >= 0 && at < instructions.length && after.length < LONGEST; ) {
    const instruction = instructions[at]!;
    after.push(instruction);
    if (instruction.flow === FlowControl.Next) at++;
    else if (instruction.flow === FlowControl.UnconditionalBranch) at = jumps[at]!;
    else break;
  }
  return after;
}
