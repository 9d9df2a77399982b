/**
 * Which instructions of a function may touch what others have, as far as can be seen without running it: those
 * that touch memory, but not only the stack.
 *
 *   mov eax,[rip+0x2f00]     yes
 *   mov [rsp+8],rax          no: this runner's own stack
 *   mov [rbp-16],rax         no, if rbp is the frame pointer here; yes where it is a register like any other
 *   call [rbx+24]            yes, it reads a pointer; plain call, push and pop: no
 *   mov rax,fs:[0x28]        no: each thread has its own
 *
 * In a kernel gs is a processor's own memory, which other processors do touch now and then, and so does whoever
 * interrupts: it is watched. A variable on a stack whose address was given away is watched where it is touched by
 * that address.
 */
import { Mnemonic } from 'iced-x86';
import { generalRegister, NO_REGISTER, RBP, RSP } from '../binary/code/general-registers.ts';
import type { Instruction, MemoryOperand } from '../binary/code/instruction.ts';
import { tellsWhatItTouches } from '../binary/code/touched-memory.ts';
import { bytesOf, type WatchedFunction } from './watched-code.ts';

export function worthWatching(inside: WatchedFunction): Instruction[] {
  const { instructions } = inside;
  const isFrame = hasFramePointer(instructions);
  return instructions.filter(
    (instruction) =>
      instruction.memory.some((operand) => isOthersToo(operand, isFrame)) &&
      tellsWhatItTouches(instruction, bytesOf({ inside, instruction })),
  );
}

function isOthersToo({ base, index, place }: MemoryOperand, isFrame: boolean): boolean {
  if (place === 'pushed' || place === 'fs') return false;
  const isStack = base === RSP || (base === RBP && isFrame);
  // `[rbp+rcx*4-32]` should be an array in the frame, but nothing says how large rcx is.
  return !isStack || index !== NO_REGISTER;
}

/** A function sets up its frame among its first instructions, or not at all. */
const LENGTH_OF_PROLOGUE = 12;

/**
 * Whether rbp holds an address in the stack all the time: it is set from rsp before it is used, and by nothing
 * else but what gives it back to the caller at the end. A part of a function that begins in its middle
 * (`f.cold`) has no such start, and so none.
 */
export function hasFramePointer(instructions: readonly Instruction[]): boolean {
  const setAt = instructions.slice(0, LENGTH_OF_PROLOGUE).findIndex(isSetFromStack);
  if (setAt < 0) return false;
  return instructions.every(
    (instruction, at) =>
      (instruction.writes & (1 << RBP)) === 0 ||
      isSetFromStack(instruction) ||
      GIVES_BACK.has(instruction.mnemonic) ||
      (at < setAt && instruction.mnemonic === Mnemonic.Push),
  );
}

const GIVES_BACK: ReadonlySet<Mnemonic> = new Set([Mnemonic.Pop, Mnemonic.Leave]);

function isSetFromStack({ mnemonic, operands, addressBase }: Instruction): boolean {
  const [to, from] = operands;
  if (to === undefined || generalRegister(to.register) !== RBP) return false;
  if (mnemonic === Mnemonic.Lea) return addressBase === RSP;
  return mnemonic === Mnemonic.Mov && from !== undefined && generalRegister(from.register) === RSP;
}
