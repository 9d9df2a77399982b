/**
 * An instruction that works on the private copy of what it would touch:
 *
 *   add dword ptr [rbx+rcx*4+8],eax        lea rsp,[rsp-128]           nothing below the stack is touched
 *                                          lea rdx,[rbx+rcx*4+8]       rdx: not needed, or pushed before
 *                                          call [lookup of rdx, 4 bytes, update]
 *                                          lea rsp,[rsp+128]
 *                                          add dword ptr [rdx],eax
 *
 * Where no register is free for it, or the instruction touches memory in a way of its own (the bits of bts, a
 * mask, more than a vector), it is refused; it can still do its work on memory itself.
 */
import {
  Code,
  Decoder,
  Encoder,
  Instruction as Iced,
  MemoryOperand as IcedMemory,
  Mnemonic,
  OpKind,
  Register,
} from 'iced-x86';
import { NO_REGISTER, RBP, type RegisterNumber, RSP } from '../../binary/code/general-registers.ts';
import { type Instruction, type MemoryOperand, NOWHERE } from '../../binary/code/instruction.ts';
import { REDZONE } from '../../binary/rewrite/agent-interface.ts';
import { moveStack } from '../../binary/rewrite/assembly.ts';
import type { CodeBuffer } from '../../binary/rewrite/code-buffer.ts';
import { callSlot, pop, push, pushNumber } from './assembly.ts';
import { type Access, isQuick, type Lookup, lookupSlot, sizeAndAccess } from './stubs.ts';

/** What is known at a place in a function. */
export interface AliveAt {
  readonly registers: number;
  readonly flags: boolean;
}

/** A vector of 512 bits. */
const LARGEST = 64;

/** Whether it was done; otherwise nothing has been emitted. */
export function emitRedirected(
  to: CodeBuffer,
  instruction: Instruction,
  bytes: Uint8Array,
  operand: MemoryOperand,
  alive: AliveAt,
): boolean {
  if (operand.size === 0 || operand.size > LARGEST || operand.place !== 'memory') return false;
  if (operand.base === RSP || operand.index === RSP || instruction.repetition !== 'none')
    return false;
  const used = instruction.reads | instruction.writes;
  for (const register of candidates(used, alive.registers)) {
    const isSaved = ((alive.registers >> register) & 1) === 1;
    // The stack pointer is elsewhere while the register waits on the stack.
    if (isSaved && ((used >> RSP) & 1) === 1) return false;
    const moved = withOperandAt(bytes, instruction.address, register);
    if (moved === 'odd') return false;
    if (moved === 'unencodable') continue;
    const lookup: Lookup = {
      register,
      size: operand.size,
      access: accessOf(operand),
      keepsFlags: alive.flags,
    };
    moveStack(to, -REDZONE);
    if (isSaved) push(to, register);
    emitAddress(to, instruction, operand, register);
    emitLookup(to, lookup);
    if (!isSaved) moveStack(to, REDZONE);
    to.copy(moved);
    if (isSaved) {
      pop(to, register);
      moveStack(to, REDZONE);
    }
    return true;
  }
  return false;
}

const accessOf = ({ isRead, isWritten }: MemoryOperand): Access =>
  isRead ? (isWritten ? 'update' : 'read') : 'write';

/** `[rbp]` and `[r13]` have no form without a distance. */
const R13 = 13;
const UNFIT = (1 << RSP) | (1 << RBP) | (1 << R13);

/** Registers that the instruction does not use: first those that nobody needs. */
function candidates(used: number, alive: number): RegisterNumber[] {
  const free = [...Array(16).keys()].filter((register) => ((used | UNFIT) >> register) % 2 === 0);
  const isAlive = (register: number): number => (alive >> register) & 1;
  return free.sort((a, b) => isAlive(a) - isAlive(b));
}

function emitLookup(to: CodeBuffer, lookup: Lookup): void {
  if (isQuick(lookup)) return callSlot(to, lookupSlot(lookup));
  pushNumber(to, sizeAndAccess(lookup));
  callSlot(to, lookupSlot(lookup));
  moveStack(to, 8);
}

const encoder = new Encoder(64);

/** `lea register,operand`. */
function emitAddress(
  to: CodeBuffer,
  { relativeOperand }: Instruction,
  { base, index, scale, displacement }: MemoryOperand,
  register: RegisterNumber,
): void {
  if (relativeOperand !== NOWHERE) {
    to.bytes(0x48 | ((register >> 3) << 2), 0x8d, ((register & 7) << 3) | 5);
    to.i32(0);
    to.pointTo(relativeOperand, to.length - 4);
    return;
  }
  const memory = new IcedMemory(
    named(base),
    named(index),
    index === NO_REGISTER ? 1 : scale,
    BigInt(displacement),
    8,
    false,
    Register.None,
  );
  const lea = Iced.createRegMem(Code.Lea_r64_m, named(register), memory);
  encoder.encode(lea, 0n);
  to.copy(encoder.takeBuffer());
  lea.free();
}

const named = (register: RegisterNumber): Register =>
  register === NO_REGISTER ? Register.None : Register.RAX + register;

/** With nothing but this register in its operand's address; `odd`: it must not be done. */
function withOperandAt(
  bytes: Uint8Array,
  address: number,
  register: RegisterNumber,
): Uint8Array | 'odd' | 'unencodable' {
  const decoder = new Decoder(64, bytes, 0);
  decoder.ip = BigInt(address);
  const iced = decoder.decode();
  try {
    if (isOdd(iced)) return 'odd';
    iced.memoryBase = named(register);
    iced.memoryIndex = Register.None;
    iced.memoryIndexScale = 1;
    iced.memoryDisplacement = 0n;
    iced.memoryDisplSize = 0;
    encoder.encode(iced, BigInt(address));
    return encoder.takeBuffer();
  } catch {
    // ah and its kin do not go together with r8 to r15.
    encoder.takeBuffer();
    return 'unencodable';
  } finally {
    iced.free();
    decoder.free();
  }
}

function isOdd(iced: Iced): boolean {
  const kinds = Array.from({ length: iced.opCount }, (_, n) => iced.opKind(n));
  const isBitString = BIT_STRINGS.has(iced.mnemonic) && kinds[1] === OpKind.Register;
  return (
    kinds.filter((kind) => kind === OpKind.Memory).length !== 1 ||
    iced.opMask !== Register.None ||
    iced.isVsib ||
    iced.hasLockPrefix ||
    isBitString ||
    MASKED.has(iced.mnemonic)
  );
}

/** They touch a bit as far from the operand as a register says. */
const BIT_STRINGS: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Bt, Mnemonic.Bts, Mnemonic.Btr, Mnemonic.Btc],
]);
const MASKED: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Vmaskmovps, Mnemonic.Vmaskmovpd, Mnemonic.Vpmaskmovd, Mnemonic.Vpmaskmovq],
]);
