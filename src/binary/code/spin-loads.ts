/**
 * Loads on which a thread waits for another: in a short loop that does nothing else.
 *
 *   again: pause
 *          mov eax,[rbx+8]      what it waits for
 *          test eax,eax
 *          je again
 *
 * On x86 an atomic load is a plain one, so this shape is what tells `while (!atomic_load(&ready));`. The loop
 * reads one place, which does not change in it, writes nothing, and calls nothing but what passes the time.
 */
import { FlowControl } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';
import { NO_REGISTER } from './general-registers.ts';
import type { Instruction, MemoryOperand } from './instruction.ts';

const LONGEST_LOOP = 16;

/** @param passesTime whether a call leads to a function like sched_yield. */
export function spinLoads(
  code: Pick<FunctionCode, 'instructions' | 'places'>,
  passesTime: (call: Instruction) => boolean,
): Instruction[] {
  const { instructions, places } = code;
  return instructions.flatMap((jump, end) => {
    const start = isJump(jump) ? places.get(jump.target) : undefined;
    if (start === undefined || start > end || end - start > LONGEST_LOOP) return [];
    return onlyLoad(instructions.slice(start, end + 1), passesTime) ?? [];
  });
}

const isJump = ({ flow }: Instruction): boolean =>
  flow === FlowControl.ConditionalBranch || flow === FlowControl.UnconditionalBranch;

function onlyLoad(
  loop: readonly Instruction[],
  passesTime: (call: Instruction) => boolean,
): Instruction | undefined {
  let load: Instruction | undefined;
  let written = 0;
  for (const instruction of loop) {
    const { flow, memory } = instruction;
    const isCall = flow === FlowControl.Call || flow === FlowControl.IndirectCall;
    if (isCall && !passesTime(instruction)) return undefined;
    // What a call changes is nothing that the loop could go on with.
    if (!isCall) written |= instruction.writes;
    const operands = memory.filter(({ place }) => place === 'memory');
    if (operands.length === 0) continue;
    const [operand] = operands;
    if (load || operands.length > 1 || !operand || operand.isWritten) return undefined;
    load = instruction;
  }
  return load && (registersOf(load.memory[0]!) & written) === 0 ? load : undefined;
}

const registersOf = ({ base, index }: MemoryOperand): number =>
  (base === NO_REGISTER ? 0 : 1 << base) | (index === NO_REGISTER ? 0 : 1 << index);
