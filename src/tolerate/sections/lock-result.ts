/**
 * What is known of rax, in which functions that take locks say whether they did: 0 if so. Without it, half of
 * all ways through a program would be those on which a lock was not taken, and yet is never let go of:
 *
 *   call pthread_mutex_lock      from here on 0, if the lock was taken
 *   test eax,eax                 now the flags know it, too
 *   jne failed                   not for us
 */
import { Mnemonic, Register } from 'iced-x86';
import { generalRegister, RAX } from '../../binary/code/general-registers.ts';
import type { Instruction } from '../../binary/code/instruction.ts';

/** Of rax; with `tested`, the zero flag says the same. */
export const Result = { unknown: 0, zero: 1, zeroTested: 2, other: 3, otherTested: 4 } as const;
export type Result = (typeof Result)[keyof typeof Result];

export const RESULT_COUNT = 5;

const isSameTwice = ({ operands: [one, other] }: Instruction): boolean =>
  one !== undefined && one.register !== 0 && one.register === other?.register;

const isAboutRax = ({ operands: [one] }: Instruction): boolean =>
  one !== undefined && one.register !== 0 && generalRegister(one.register) === RAX;

/** They leave flags as they are. */
const LEAVES_FLAGS: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Mov, Mnemonic.Lea, Mnemonic.Push, Mnemonic.Pop, Mnemonic.Nop, Mnemonic.Endbr64],
  ...[Mnemonic.Movsxd, Mnemonic.Movzx, Mnemonic.Movaps, Mnemonic.Movups, Mnemonic.Je, Mnemonic.Jne],
  Mnemonic.Jmp,
]);

const untested = (result: Result): Result => {
  if (result === Result.zeroTested) return Result.zero;
  return result === Result.otherTested ? Result.other : result;
};

/** What is known after an instruction that is no call; `bytes` are its own. */
export function resultAfter(result: Result, instruction: Instruction, bytes: Uint8Array): Result {
  const { mnemonic, writes } = instruction;
  if (mnemonic === Mnemonic.Xor && isSameTwice(instruction) && isAboutRax(instruction)) {
    return Result.zero;
  }
  if ((writes & (1 << RAX)) !== 0) return resultWritten(result, instruction, bytes);
  if (result === Result.unknown) return result;
  if (mnemonic === Mnemonic.Test && isSameTwice(instruction) && isAboutRax(instruction)) {
    return untested(result) === Result.zero ? Result.zeroTested : Result.otherTested;
  }
  return LEAVES_FLAGS.has(mnemonic) ? result : untested(result);
}

/** `mov eax,1`, and what compilers make of `e != 0` if they are not told to think: `setne al; movzx eax,al`. */
function resultWritten(result: Result, instruction: Instruction, bytes: Uint8Array): Result {
  const { mnemonic, length, operands } = instruction;
  const isImmediate = mnemonic === Mnemonic.Mov && length === 5 && bytes[0] === MOV_EAX;
  if (isImmediate)
    return bytes.subarray(1).every((byte) => byte === 0) ? Result.zero : Result.other;
  const isWidened = mnemonic === Mnemonic.Movzx && operands[1]?.register === Register.AL;
  if (isWidened && isAboutRax(instruction)) return result;
  const isSet = mnemonic === Mnemonic.Setne || mnemonic === Mnemonic.Sete;
  if (!isSet || (result !== Result.zeroTested && result !== Result.otherTested)) {
    return Result.unknown;
  }
  const isZero = (result === Result.zeroTested) === (mnemonic === Mnemonic.Setne);
  return isZero ? Result.zero : Result.other;
}

const MOV_EAX = 0xb8;

/** As it comes out of a function. */
export const resultReturned = untested;

/** Whether a conditional jump goes to its target, as far as is known: 'jumps', 'falls' or 'either'. */
export function jumpTaken(result: Result, { mnemonic }: Instruction): 'jumps' | 'falls' | 'either' {
  const isEqual = mnemonic === Mnemonic.Je;
  if (!isEqual && mnemonic !== Mnemonic.Jne) return 'either';
  if (result === Result.zeroTested) return isEqual ? 'jumps' : 'falls';
  if (result === Result.otherTested) return isEqual ? 'falls' : 'jumps';
  return 'either';
}
