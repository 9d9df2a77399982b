/**
 * The sixteen general registers, by the processor's own numbers, and sets of them as bits: rax is 0, rsp 4,
 * r15 15; the set of rax and rdx is 0b101.
 */
import { Register, RegisterExt } from 'iced-x86';

export type RegisterNumber = number;
export type RegisterSet = number;

export const RAX = 0;
export const RCX = 1;
export const RDX = 2;
export const RBX = 3;
export const RSP = 4;
export const RBP = 5;
export const RSI = 6;
export const RDI = 7;

export const ALL_REGISTERS: RegisterSet = 0xffff;
export const NO_REGISTER = -1;

export const setOf = (...registers: readonly RegisterNumber[]): RegisterSet =>
  registers.reduce((set, register) => set | (1 << register), 0);

export function registerCount(set: RegisterSet): number {
  let count = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Those that a call may change, by the System V calling convention. */
export const CALLER_SAVED = setOf(RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11);

/** Where a call's arguments may be: also al (the number of vector registers) and r10 (a static chain). */
export const ARGUMENTS = setOf(RDI, RSI, RDX, RCX, 8, 9, RAX, 10, RSP);

/** The general register that is part of it, or NO_REGISTER: `al`, `ax` and `eax` are in rax. */
export const generalRegister = (register: Register): RegisterNumber => NUMBERS[register] ?? -1;

/** In bytes, of a register by iced's number. */
export const registerSize = (register: Register): number => SIZES[register] ?? 0;

const LAST_GENERAL = Register.R15;
const NUMBERS = new Int8Array(LAST_GENERAL + 1).fill(NO_REGISTER);
const SIZES = new Uint8Array(LAST_GENERAL + 1);
for (let register = Register.AL; register <= LAST_GENERAL; register++) {
  NUMBERS[register] = RegisterExt.number(RegisterExt.fullRegister(register));
  SIZES[register] = RegisterExt.size(register);
}
