/** The few instructions that clones of sections have beside those of their originals. */
import type { RegisterNumber } from '../../binary/code/general-registers.ts';
import { REDZONE } from '../../binary/rewrite/agent-interface.ts';
import { moveStack } from '../../binary/rewrite/assembly.ts';
import type { CodeBuffer } from '../../binary/rewrite/code-buffer.ts';
import { ASKED_FOR_AT, DEPTH_AT, eventSlot, PATIENCE_AT, type SectionEvent } from './stubs.ts';

export const push = (to: CodeBuffer, register: RegisterNumber): void =>
  register < 8 ? to.bytes(0x50 | register) : to.bytes(0x41, 0x50 | (register & 7));
export const pop = (to: CodeBuffer, register: RegisterNumber): void =>
  register < 8 ? to.bytes(0x58 | register) : to.bytes(0x41, 0x58 | (register & 7));

export function pushNumber(to: CodeBuffer, value: number): void {
  to.bytes(0x68);
  to.i32(value);
}

/** `call [slot]`: by the library's address at the start of the blob. */
export function callSlot(to: CodeBuffer, slot: number): void {
  to.bytes(0xff, 0x15);
  to.i32(0);
  to.pointTo(to.base + slot, to.length - 4);
}

/** `jmp [slot]`: what is there returns in our place. */
export function jumpSlot(to: CodeBuffer, slot: number): void {
  to.bytes(0xff, 0x25);
  to.i32(0);
  to.pointTo(to.base + slot, to.length - 4);
}

/** Keeps all registers, and what the function has below its stack. */
export function tell(to: CodeBuffer, event: SectionEvent): void {
  moveStack(to, -REDZONE);
  callSlot(to, eventSlot(event));
  moveStack(to, REDZONE);
}

/** `mov fs:[asked_for],rdi`: its first argument is the lock. */
export function noteLock(to: CodeBuffer): void {
  to.bytes(0x64, 0x48, 0x89, 0x3c, 0x25);
  to.threadOffsets.push(to.length);
  to.i32(ASKED_FOR_AT);
}

/** `mov qword ptr fs:[asked_for],0`: nobody knows which it is. */
export function noteUnknownLock(to: CodeBuffer): void {
  to.bytes(0x64, 0x48, 0xc7, 0x04, 0x25);
  to.threadOffsets.push(to.length);
  to.i32(ASKED_FOR_AT);
  to.i32(0);
}

/** Right after a call, when nothing below the stack is of use. */
export function enter(to: CodeBuffer, section: number): void {
  pushNumber(to, section);
  callSlot(to, eventSlot('enter'));
  moveStack(to, 8);
}

/** `sub dword ptr fs:[patience],1; jne over`, and else it is told. Flags are of no use to anybody. */
export function countTurn(to: CodeBuffer): void {
  to.bytes(0x64, 0x83, 0x2c, 0x25);
  to.threadOffsets.push(to.length);
  to.i32(PATIENCE_AT);
  to.bytes(1, 0x75, 0);
  const from = to.length;
  tell(to, 'tire');
  to.setByte(from - 1, to.length - from);
}

/** `jmp address`, in the image. */
export function jumpTo(to: CodeBuffer, address: number): void {
  to.bytes(0xe9);
  to.i32(0);
  to.pointTo(address, to.length - 4);
}

/** `test eax,eax; jne address`, in the image. */
export function jumpUnlessZero(to: CodeBuffer, address: number): void {
  to.bytes(0x85, 0xc0, 0x0f, 0x85);
  to.i32(0);
  to.pointTo(address, to.length - 4);
}

/** `cmp dword ptr fs:[depth],0; je address`, in the image. */
export function jumpIfEnded(to: CodeBuffer, address: number): void {
  to.bytes(0x64, 0x83, 0x3c, 0x25);
  to.threadOffsets.push(to.length);
  to.i32(DEPTH_AT);
  to.bytes(0, 0x0f, 0x84);
  to.i32(0);
  to.pointTo(address, to.length - 4);
}
