/**
 * The general registers of a stopped tracee, as the kernel hands them out: `struct
 * user_regs_struct` of <sys/user.h>, 27 words. Kept as bytes, read and written by name:
 *
 *   const registers = readRegisters(tracee);
 *   registers.set('rdi', 42n);
 */
import type { TraceeAddress } from './ids.ts';

const ORDER = [
  'r15',
  'r14',
  'r13',
  'r12',
  'rbp',
  'rbx',
  'r11',
  'r10',
  'r9',
  'r8',
  'rax',
  'rcx',
  'rdx',
  'rsi',
  'rdi',
  'orig_rax',
  'rip',
  'cs',
  'eflags',
  'rsp',
  'ss',
  'fs_base',
  'gs_base',
  'ds',
  'es',
  'fs',
  'gs',
] as const;

export type RegisterName = (typeof ORDER)[number];

export const REGISTERS_SIZE = ORDER.length * 8;

const OFFSETS = Object.fromEntries(ORDER.map((name, index) => [name, index * 8])) as Record<
  RegisterName,
  number
>;

/** Which of the 27 words it is. */
export const registerWord = (name: RegisterName): number => OFFSETS[name] / 8;

/** Where the kernel takes a system call's arguments from, first to sixth. */
export const ARGUMENT_REGISTERS = ['rdi', 'rsi', 'rdx', 'r10', 'r8', 'r9'] as const;

/** Those that a program computes with, in the order in which debuggers show them. */
const SHOWN = [
  ...(['rip', 'rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rbp', 'rsp'] as const),
  ...(['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15', 'eflags'] as const),
];

export class Registers {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  copy(): Registers {
    return new Registers(Buffer.from(this.bytes));
  }

  get(name: RegisterName): bigint {
    return this.bytes.readBigUInt64LE(OFFSETS[name]);
  }

  set(name: RegisterName, value: bigint | number): void {
    this.bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), OFFSETS[name]);
  }

  /** A system call's argument, from 0. */
  argument(index: number): bigint {
    return this.get(ARGUMENT_REGISTERS[index]!);
  }

  setArgument(index: number, value: bigint | number): void {
    this.set(ARGUMENT_REGISTERS[index]!, value);
  }

  /** For people: `{ rax: '0x2a', … }`. */
  named(): Record<string, string> {
    return namedRegisters(this);
  }

  get instruction(): TraceeAddress {
    return this.get('rip') as TraceeAddress;
  }

  get stack(): TraceeAddress {
    return this.get('rsp') as TraceeAddress;
  }
}

/** The same of whoever has them by name. */
export const namedRegisters = (registers: Pick<Registers, 'get'>): Record<string, string> =>
  Object.fromEntries(SHOWN.map((name) => [name, `0x${registers.get(name).toString(16)}`]));
