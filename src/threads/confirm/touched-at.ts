/** What a thread that stands at a racing instruction is about to touch, from its registers and its memory. */
import { touchedByCall } from '../../binary/code/touched-by-call.ts';
import { type TouchedBytes, touchedMemory } from '../../binary/code/touched-memory.ts';
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory } from '../../linux/process-memory.ts';
import type { RegisterName, Registers } from '../../linux/registers.ts';
import type { RacingPlace } from './racing-code.ts';

/** By the processor's numbers. */
const GENERAL: readonly RegisterName[] = [
  ...(['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi'] as const),
  ...(['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'] as const),
];
/** Of a function. */
const ARGUMENTS: readonly RegisterName[] = ['rdi', 'rsi', 'rdx', 'rcx', 'r8', 'r9'];

export function touchedAt(task: Tid, registers: Registers, place: RacingPlace): TouchedBytes[] {
  const { callee, instruction } = place;
  if (callee !== undefined) {
    return touchedByCall(callee, {
      argument: (index) => registers.get(ARGUMENTS[index]!),
      bytes: (address, most) => readMemory(task, traceeAddress(address), most),
    });
  }
  return touchedMemory(instruction, {
    general: (number) => registers.get(GENERAL[number]!),
    fsBase: registers.get('fs_base'),
    gsBase: registers.get('gs_base'),
    flags: registers.get('eflags'),
  });
}
