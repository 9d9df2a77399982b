/** The few instructions that are put into clones. None but `compareThread` changes a flag. */
import type { RegisterNumber } from '../code/general-registers.ts';
import { GROUP_BITS, REDZONE, SlotAt, type ThreadField, ThreadFieldAt } from './agent-interface.ts';
import type { CodeBuffer } from './code-buffer.ts';

const REX_W = 0x48;
/** In a REX prefix, the fourth bit of each register field. */
const rex = (register: number, index: number, base: number): number =>
  REX_W | ((register >> 3) << 2) | ((index >> 3) << 1) | (base >> 3);
const modrm = (mod: number, register: number, rm: number): number =>
  (mod << 6) | ((register & 7) << 3) | (rm & 7);
const SCALES = new Map([1, 2, 4, 8].map((scale, bits) => [scale, bits]));
const HAS_SIB = 4;
const NO_INDEX = 4;
const NO_BASE = 5;
const FS = 0x64;

/** `op register, fs:[field]`, with 64 bits. */
function withThread(
  to: CodeBuffer,
  opcode: number,
  register: RegisterNumber,
  field: ThreadField,
): void {
  to.bytes(FS, rex(register, 0, 0), opcode, modrm(0, register, HAS_SIB), 0x25);
  threadOffset(to, field);
}

function threadOffset(to: CodeBuffer, field: ThreadField): void {
  to.threadOffsets.push(to.length);
  to.i32(ThreadFieldAt[field]);
}

export const loadThread = (to: CodeBuffer, register: RegisterNumber, field: ThreadField): void =>
  withThread(to, 0x8b, register, field);
export const storeThread = (to: CodeBuffer, register: RegisterNumber, field: ThreadField): void =>
  withThread(to, 0x89, register, field);
export const compareThread = (to: CodeBuffer, register: RegisterNumber, field: ThreadField): void =>
  withThread(to, 0x3b, register, field);

/** `jmp fs:[field]`. */
export function jumpThread(to: CodeBuffer, field: ThreadField): void {
  to.bytes(FS, 0xff, 0x24, 0x25);
  threadOffset(to, field);
}

/** `op register,[base+displacement]`. */
function withMemory(
  to: CodeBuffer,
  opcode: number,
  register: RegisterNumber,
  base: RegisterNumber,
  displacement: number,
): void {
  to.bytes(rex(register, 0, base), opcode, modrm(1, register, base));
  if ((base & 7) === HAS_SIB) to.bytes(0x24);
  to.bytes(displacement & 0xff);
}

export const store = (
  to: CodeBuffer,
  register: RegisterNumber,
  base: RegisterNumber,
  displacement: number,
): void => withMemory(to, 0x89, register, base, displacement);

/** A record's first word: the group's number, and how long the record is, for who reads it to be quick. */
export const storeRecordHead = (
  to: CodeBuffer,
  number: number,
  values: number,
  base: RegisterNumber,
): void => {
  withMemory(to, 0xc7, 0, base, 0);
  to.groupNumbers.push(to.length);
  to.i32(number | (values << GROUP_BITS));
};

/** `lea register,[register+amount]`. */
export const advance = (to: CodeBuffer, register: RegisterNumber, amount: number): void =>
  withMemory(to, 0x8d, register, register, amount);

/** `lea register,[base+index*scale]`; without a base, it has 32 bits of nothing instead. */
export function leaSum(
  to: CodeBuffer,
  register: RegisterNumber,
  base: RegisterNumber,
  index: RegisterNumber,
  scale: number,
): void {
  const sib = (at: number): number => (SCALES.get(scale)! << 6) | ((index & 7) << 3) | (at & 7);
  if (base < 0) {
    to.bytes(rex(register, index, 0), 0x8d, modrm(0, register, HAS_SIB), sib(NO_BASE));
    to.i32(0);
  } else {
    to.bytes(rex(register, index, base), 0x8d, modrm(1, register, HAS_SIB), sib(base), 0);
  }
}

/** `lea rsp,[rsp+amount]`. */
export function moveStack(to: CodeBuffer, amount: number): void {
  to.bytes(REX_W, 0x8d, modrm(2, 4, HAS_SIB), (NO_INDEX << 3) | 4);
  to.i32(amount);
}

/** Calls the agent, which keeps all registers and flags; what the function has below its stack, too. */
export function callAgent(to: CodeBuffer, slot: keyof typeof SlotAt): void {
  moveStack(to, -REDZONE);
  to.bytes(0xff, 0x15);
  const at = to.length;
  to.i32(0);
  to.pointTo(to.base + SlotAt[slot], at);
  moveStack(to, REDZONE);
}

/** `jmp`, `jae`: to be pointed somewhere. Returns where the 32 bits are. */
export function jump(to: CodeBuffer): number {
  to.bytes(0xe9);
  to.i32(0);
  return to.length - 4;
}

export function jumpUnlessBelow(to: CodeBuffer): number {
  to.bytes(0x0f, 0x83);
  to.i32(0);
  return to.length - 4;
}

/** Status flags to ah and al, and back: lahf; seto al … add al,0x7f; sahf. */
export const saveFlags = (to: CodeBuffer): void => to.bytes(0x9f, 0x0f, 0x90, 0xc0);
export const restoreFlags = (to: CodeBuffer): void => to.bytes(0x04, 0x7f, 0x9e);
