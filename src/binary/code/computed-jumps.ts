/**
 * Jumps whose target is computed: `jmp rax`, `jmp [rdx+rax*8]`. Most are switches; the rest are tail calls
 * through a pointer, which lead to the start of a function and need no more attention than a call does.
 *
 * Which addresses a switch can lead to is told by a table of distances (`lea rdx,[rip+table]`, `movsxd
 * rax,[rdx+rax*4]`, `add rax,rdx`, `jmp rax`) or, in programs that cannot be moved, of addresses. How long
 * a table is cannot be seen with certainty, so this is for knowing where blocks start, never for where to jump.
 */
import { FlowControl, Mnemonic, OpKind } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';
import { generalRegister, NO_REGISTER } from './general-registers.ts';
import { type Instruction, NOWHERE } from './instruction.ts';

/** How far back the register that is jumped to is followed. */
const LONGEST_LOOK_BACK = 24;

export function isComputedJump({ flow }: Instruction): boolean {
  return flow === FlowControl.IndirectBranch;
}

/** Whether it leads to a function's start for certain, as far as compilers go. */
export function isTailCall(code: FunctionCode, place: number): boolean {
  const { instructions } = code;
  const jump = instructions[place]!;
  const [operand] = jump.operands;
  if (operand?.kind === OpKind.Memory) return hasNoIndex(jump);
  const register = generalRegister(operand!.register);
  const last = Math.max(0, place - LONGEST_LOOK_BACK);
  for (let before = place - 1; before >= last; before--) {
    const instruction = instructions[before]!;
    if ((instruction.writes & (1 << register)) !== 0) {
      const isLoad = instruction.mnemonic === Mnemonic.Mov && instruction.memory.length === 1;
      return isLoad && hasNoIndex(instruction);
    }
    if (instruction.flow !== FlowControl.Next) return false;
  }
  return false;
}

const hasNoIndex = ({ memory }: Instruction): boolean =>
  memory.every(({ index }) => index === NO_REGISTER);

/** Whether somebody may compute where inside the function to go on. */
export function hasSwitch(code: FunctionCode): boolean {
  return code.instructions.some((one, place) => isComputedJump(one) && !isTailCall(code, place));
}

/** Reads the image's constant data; undefined outside of it. */
export interface ConstantData {
  i32(address: number): number | undefined;
  u64(address: number): number | undefined;
}

const LONGEST_TABLE = 4096;

/**
 * Addresses inside the function that computed jumps may lead to, as far as they can be found.
 * @param entries addresses that data has pointers to.
 */
export function switchTargets(
  code: FunctionCode,
  data: ConstantData,
  entries: ReadonlySet<number>,
): Set<number> {
  const targets = new Set<number>();
  if (!hasSwitch(code)) return targets;
  for (const address of code.places.keys()) if (entries.has(address)) targets.add(address);
  const { places } = code;
  const follow = (entryAt: (n: number) => number | undefined): void => {
    for (let n = 0; n < LONGEST_TABLE; n++) {
      const target = entryAt(n);
      if (target === undefined || !places.has(target)) return;
      targets.add(target);
    }
  };
  for (const { mnemonic, relativeOperand, memory } of code.instructions) {
    if (mnemonic === Mnemonic.Lea && relativeOperand !== NOWHERE) {
      const table = relativeOperand;
      follow((n) => {
        const distance = data.i32(table + 4 * n);
        return distance === undefined ? undefined : table + distance;
      });
    }
    for (const { base, scale, displacement, index } of memory) {
      if (base === NO_REGISTER && index !== NO_REGISTER && scale === 8) {
        follow((n) => data.u64(displacement + 8 * n));
      }
    }
  }
  return targets;
}
