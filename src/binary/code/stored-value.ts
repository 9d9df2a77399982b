/**
 * What an instruction is about to write to memory, where that is plain to see: a constant, or a register.
 *
 *   mov dword ptr [rdi],7     7
 *   mov [rdi],al              the lowest byte of rax
 */
import { Decoder, MemorySizeExt, Mnemonic, OpKind, Register } from 'iced-x86';
import { generalRegister, NO_REGISTER, type RegisterNumber } from './general-registers.ts';

/** As a number of the operand's size; undefined for all other instructions. */
export function storedValue(
  bytes: Uint8Array,
  general: (register: RegisterNumber) => bigint,
): bigint | undefined {
  const decoder = new Decoder(64, bytes, 0);
  const iced = decoder.decode();
  try {
    if (iced.mnemonic !== Mnemonic.Mov || iced.op0Kind !== OpKind.Memory) return undefined;
    const bits = MemorySizeExt.size(iced.memorySize) * 8;
    if (iced.op1Kind !== OpKind.Register) return BigInt.asUintN(bits, iced.immediate(1));
    const register = generalRegister(iced.op1Register);
    if (register === NO_REGISTER || HIGH_BYTES.has(iced.op1Register)) return undefined;
    return BigInt.asUintN(bits, general(register));
  } finally {
    iced.free();
    decoder.free();
  }
}

/** The second byte of rax, rcx, rdx and rbx. */
const HIGH_BYTES: ReadonlySet<Register> = new Set([
  ...[Register.AH, Register.CH, Register.DH, Register.BH],
]);
