/**
 * Loads by which a thread waits for others inside of a critical section, who do not need its lock:
 *
 *   again: pause
 *          cmp dword ptr [rip+readers],0      what it waits for
 *          jne again
 *
 * On a private copy it would wait for ever. So this is more than `spinLoads` (src/binary/code), which has to be
 * certain: any short loop that counts nothing, writes nothing that others see and looks at the same places again
 * and again, also by memcmp and its kin. A loop that counts while it waits is not recognised.
 */
import { FlowControl, Mnemonic, OpKind } from 'iced-x86';
import type { FunctionCode } from '../../binary/code/function-code.ts';
import { NO_REGISTER } from '../../binary/code/general-registers.ts';
import type { Instruction, MemoryOperand } from '../../binary/code/instruction.ts';

const LONGEST_LOOP = 64;

/** What is known of the instructions of a function. */
export interface LoopFacts {
  /** A call that does nothing else. */
  passesTime(call: Instruction): boolean;
  /** A call that looks at memory, and changes nothing. */
  looks(call: Instruction): boolean;
  /** The operands that others may see, by their indices. */
  sharedOf(instruction: Instruction): readonly number[];
}

export function waitingLoads(
  { instructions, jumps }: FunctionCode,
  facts: LoopFacts,
): Set<Instruction> {
  const waiting = new Set<Instruction>();
  for (let end = 0; end < instructions.length; end++) {
    const start = jumps[end]!;
    if (start < 0 || start > end || end - start > LONGEST_LOOP) continue;
    const loop = instructions.slice(start, end + 1);
    for (const load of loadsOf(loop, facts)) waiting.add(load);
  }
  return waiting;
}

/** None, unless it can only end by what others do. */
function loadsOf(loop: readonly Instruction[], facts: LoopFacts): Instruction[] {
  const { sharedOf } = facts;
  const loads: Instruction[] = [];
  let written = 0;
  for (const instruction of loop) {
    const { flow, memory } = instruction;
    const isCall = flow === FlowControl.Call || flow === FlowControl.IndirectCall;
    const isLook = isCall && facts.looks(instruction);
    if (isCall && !isLook && !facts.passesTime(instruction)) return [];
    if (counts(instruction)) return [];
    if (!isCall) written |= instruction.writes;
    const shared = sharedOf(instruction);
    if (shared.some((index) => memory[index]!.isWritten)) return [];
    if (shared.length > 0 || isLook) loads.push(instruction);
  }
  const isSamePlace = (load: Instruction): boolean =>
    sharedOf(load).every((index) => (registersOf(load.memory[index]!) & written) === 0);
  return loads.every(isSamePlace) ? loads : [];
}

/** `inc rax`, `sub ecx,1`. */
function counts({ mnemonic, operands, increment }: Instruction): boolean {
  if (increment !== 0 || mnemonic === Mnemonic.Inc || mnemonic === Mnemonic.Dec) return true;
  const isSum = mnemonic === Mnemonic.Add || mnemonic === Mnemonic.Sub;
  const kind = operands[1]?.kind;
  return isSum && kind !== OpKind.Register && kind !== OpKind.Memory;
}

const registersOf = ({ base, index }: MemoryOperand): number =>
  (base === NO_REGISTER ? 0 : 1 << base) | (index === NO_REGISTER ? 0 : 1 << index);
