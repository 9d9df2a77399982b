/** What a thread that stands at an instruction is about to touch, from its registers and its memory. */

import type { RegisterNumber } from '../binary/code/general-registers.ts';
import type { Instruction } from '../binary/code/instruction.ts';
import { touchedByCall } from '../binary/code/touched-by-call.ts';
import {
  type RegisterValues,
  type TouchedBytes,
  touchedMemory,
} from '../binary/code/touched-memory.ts';
import { type Tid, traceeAddress } from '../linux/ids.ts';
import { readMemory } from '../linux/process-memory.ts';
import type { RegisterName, Registers } from '../linux/registers.ts';

/** By the processor's numbers. */
const GENERAL: readonly RegisterName[] = [
  ...(['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'] as const),
  ...(['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'] as const),
];
export const generalName = (number: RegisterNumber): RegisterName => GENERAL[number]!;

/** Of a function. */
const ARGUMENTS: readonly RegisterName[] = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'];

/** An instruction of a running program. */
export interface TouchingPlace {
  readonly instruction: Instruction;
  /** It is a call, and what is called touches memory: `memcpy`. */
  readonly callee: string | undefined;
}

export function touchedAt(task: Tid, registers: Registers, place: TouchingPlace): TouchedBytes[] {
  const { callee, instruction } = place;
  if (callee !== undefined) {
    return touchedByCall(callee, {
      argument: (index) => registers.get(ARGUMENTS[index]!),
      bytes: (address, most) => readMemory(task, traceeAddress(address), most),
    });
  }
  return touchedMemory(instruction, registerValues(registers));
}

/** The registers that addresses are made of, of whoever has them by name. */
export const registerValues = (registers: Pick<Registers, 'get'>): RegisterValues => ({
  general: (number) => registers.get(generalName(number)),
  fsBase: registers.get('fs_base'),
  gsBase: registers.get('gs_base'),
  flags: registers.get('eflags'),
});
