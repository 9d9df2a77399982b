/**
 * Which accesses get their place in the order of all synchronisation. An atomic operation that also writes is
 * seen by its opcode: it has a lock prefix, or is an exchange. But atomic loads, and most atomic stores, are
 * plain instructions. A plain access counts as atomic
 *
 *   - where debug information says that the variable is (_Atomic, std::atomic),
 *   - at an address that an atomic opcode has elsewhere in the image,
 *   - if it is a load on which a thread waits in a loop (spin-loads.ts), and at the address of such a load.
 *
 * That holds for addresses that stand in the code, of variables with a fixed place. What is reached through
 * pointers is told apart when the trace is made: see threads/tracing.
 */
import { firstIndex } from '../../base/bisect.ts';
import type { FunctionCode } from '../code/function-code.ts';
import { type Instruction, NOWHERE } from '../code/instruction.ts';
import { spinLoads } from '../code/spin-loads.ts';
import type { AddressRange } from '../dwarf/addresses.ts';

/** `atomicVariables` are disjoint and in order. */
export function orderedAccesses(
  functions: readonly FunctionCode[],
  atomicVariables: readonly AddressRange[],
  passesTime: (call: Instruction) => boolean,
): (instruction: Instruction) => boolean {
  const spins = new Set<number>();
  const addresses = new Set<number>();
  for (const code of functions) {
    for (const { address, relativeOperand } of spinLoads(code, passesTime)) {
      spins.add(address);
      if (relativeOperand !== NOWHERE) addresses.add(relativeOperand);
    }
    for (const { isAtomic, relativeOperand } of code.instructions) {
      if (isAtomic && relativeOperand !== NOWHERE) addresses.add(relativeOperand);
    }
  }
  const isInVariable = (address: number): boolean => {
    const range = atomicVariables[firstIndex(atomicVariables, ({ low }) => low > address) - 1];
    return range !== undefined && address < range.high;
  };
  return ({ address, relativeOperand }) =>
    spins.has(address) || addresses.has(relativeOperand) || isInVariable(relativeOperand);
}
