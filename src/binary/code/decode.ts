/**
 * From the bytes of a function to its instructions, with iced-x86. A function is decoded from its first byte
 * to its last; one with bytes that are no instructions (a table between them, say), or with an instruction
 * that cannot be moved, is refused with the reason.
 */
import {
  Decoder,
  FlowControl,
  Instruction as Iced,
  InstructionInfoFactory,
  MemorySizeExt,
  Mnemonic,
  OpAccess,
  OpKind,
  Register,
  type UsedMemory,
  type UsedRegister,
} from 'iced-x86';
import { err, ok, type Result } from '../../base/result.ts';
import {
  generalRegister,
  NO_REGISTER,
  type RegisterSet,
  RSP,
  registerSize,
} from './general-registers.ts';
import {
  type Instruction,
  type MemoryOperand,
  NOWHERE,
  type Operand,
  type OperandPlace,
} from './instruction.ts';

/** The reason is for people: 'xbegin at 0x1040 cannot be moved'. */
export function decode(bytes: Uint8Array, address: number): Result<Instruction[], string> {
  const decoder = new Decoder(64, bytes, 0);
  const iced = new Iced();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const instructions: Instruction[] = [];
  try {
    decoder.ip = BigInt(address);
    for (let from = 0; from < bytes.length; ) {
      const at = address + from;
      decoder.decodeOut(iced);
      const to = from + iced.length;
      const known = knownInstruction(text, from, to, at);
      if (known === undefined && iced.isInvalid) {
        return err(`no instruction at 0x${at.toString(16)}`);
      }
      const obstacle = known === undefined ? obstacleIn(iced) : undefined;
      if (obstacle !== undefined) {
        return err(`${obstacle} at 0x${at.toString(16)} cannot be moved`);
      }
      const instruction = known ?? instructionOf(iced, decoder, at);
      if (known === undefined) remember(instruction, text, from, to);
      instructions.push(instruction);
      from = to;
    }
    return ok(instructions);
  } finally {
    iced.free();
    decoder.free();
  }
}

/** The one that these bytes begin with. */
export function decodeFirst(bytes: Uint8Array, address: number): Result<Instruction, string> {
  const decoder = new Decoder(64, bytes, 0);
  const iced = decoder.decode();
  const { length } = iced;
  iced.free();
  decoder.free();
  const decoded = decode(bytes.subarray(0, length), address);
  return decoded.ok ? ok(decoded.value[0]!) : decoded;
}

/**
 * Instructions by their bytes, since to ask iced for all that there is to know of one takes longer than all
 * the rest of rewriting it, and most come again and again: `push rbx` is the same everywhere.
 */
const known = new Map<string, Instruction>();
/** Then the map starts anew: nobody rewrites so many different ones. */
const MOST_KNOWN = 200_000;

/** What a 32-bit jump or call is known by does not have where it leads. */
const DISTANCE_LENGTH = 4;

function hasDistance(text: Buffer, from: number, to: number): boolean {
  const length = to - from;
  const isShort = length === 5 && (text[from] === 0xe8 || text[from] === 0xe9);
  const isCondition = length === 6 && text[from] === 0x0f && (text[from + 1]! & 0xf0) === 0x80;
  return isShort || isCondition;
}

const keyOf = (text: Buffer, from: number, to: number): string =>
  text.toString('latin1', from, hasDistance(text, from, to) ? to - DISTANCE_LENGTH : to);

function knownInstruction(
  text: Buffer,
  from: number,
  to: number,
  address: number,
): Instruction | undefined {
  const same = known.get(keyOf(text, from, to));
  if (same === undefined) return undefined;
  const moved = address - same.address;
  const target = hasDistance(text, from, to)
    ? address + (to - from) + text.readInt32LE(to - DISTANCE_LENGTH)
    : same.target + moved;
  return { ...same, address, target, relativeOperand: same.relativeOperand + moved };
}

function remember(instruction: Instruction, text: Buffer, from: number, to: number): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(keyOf(text, from, to), instruction);
}

function obstacleIn(iced: Iced): string | undefined {
  if (iced.flowControl === FlowControl.XbeginXabortXend) return 'a transaction';
  if (iced.memoryBase === Register.EIP) return 'an address relative to eip';
  const kind = iced.opCount > 0 ? iced.op0Kind : undefined;
  if (kind === OpKind.FarBranch16 || kind === OpKind.FarBranch32) return 'a far jump';
  if (kind === OpKind.NearBranch16 || kind === OpKind.NearBranch32) return 'a short jump';
  if (iced.isJmpFarIndirect || iced.isCallFarIndirect) return 'a far jump';
  if (hasShortAddress(iced)) return 'an address of less than 64 bits';
  return undefined;
}

/** All 64 bits of registers are logged, where the processor would only take some: `mov eax,[ecx]`, xlatb. */
function hasShortAddress(iced: Iced): boolean {
  if (iced.mnemonic === Mnemonic.Lea || iced.mnemonic === Mnemonic.Nop) return false;
  if (iced.mnemonic === Mnemonic.Xlatb) return true;
  const isString = iced.opCount > 1 && (isShortString(iced.op0Kind) || isShortString(iced.op1Kind));
  return isString || isShort(iced.memoryBase) || isShort(iced.memoryIndex);
}

const isShort = (register: Register): boolean =>
  generalRegister(register) !== NO_REGISTER && registerSize(register) < 8;
const isShortString = (kind: OpKind): boolean =>
  kind === OpKind.MemorySegESI || kind === OpKind.MemoryESEDI || kind === OpKind.MemorySegEDI;

const factory = new InstructionInfoFactory();

/** Carry, parity, adjust, zero, sign and overflow. */
const STATUS_FLAGS = 0x3f;
/** Without adjust, which nothing but decimal arithmetic reads. */
const STATUS_FLAGS_THAT_MATTER = 0x37;

function instructionOf(iced: Iced, decoder: Decoder, address: number): Instruction {
  const info = factory.info(iced);
  const registers = registersOf(info.usedRegisters());
  const memory = memoryOf(info.usedMemory(), iced);
  info.free();
  const isLea = iced.mnemonic === Mnemonic.Lea;
  const isRelative = iced.isIpRelMemoryOperand;
  const isRepeated = iced.isStringInstruction && (iced.hasRepPrefix || iced.hasRepnePrefix);
  return {
    address,
    length: iced.length,
    mnemonic: iced.mnemonic,
    flow: iced.flowControl,
    target: directTarget(iced),
    relativeOperand: isRelative ? signed(iced.ipRelMemoryAddress) : NOWHERE,
    displacementAt: isRelative ? displacementAt(decoder, iced) : 0,
    ...registers,
    readsFlags: (iced.rflagsRead & STATUS_FLAGS) !== 0,
    replacesFlags:
      (iced.rflagsModified & STATUS_FLAGS_THAT_MATTER) === STATUS_FLAGS_THAT_MATTER &&
      !isRepeated &&
      !isShiftByRegister(iced),
    memory,
    isAtomic: iced.hasLockPrefix || (iced.mnemonic === Mnemonic.Xchg && memory.length > 0),
    repetition: isRepeated ? (SEARCHES.has(iced.mnemonic) ? 'searching' : 'counted') : 'none',
    operands: Array.from({ length: Math.min(iced.opCount, 2) }, (_, n) => operandOf(iced, n)),
    addressBase: isLea ? generalRegister(iced.memoryBase) : NO_REGISTER,
    addressIndex: isLea ? generalRegister(iced.memoryIndex) : NO_REGISTER,
    addressDisplacement: isLea ? signed(iced.memoryDisplacement) : 0,
    increment: incrementOf(iced),
  };
}

function incrementOf(iced: Iced): number {
  const { mnemonic } = iced;
  if (!INCREMENTS.has(mnemonic) || iced.op0Kind !== OpKind.Register) return 0;
  const register = iced.op0Register;
  if (registerSize(register) !== 8) return 0;
  if (mnemonic === Mnemonic.Inc) return 1;
  if (mnemonic === Mnemonic.Dec) return -1;
  if (mnemonic === Mnemonic.Lea) {
    const isOwn = iced.memoryBase === register && iced.memoryIndex === Register.None;
    return isOwn ? signed(iced.memoryDisplacement) : 0;
  }
  const kind = iced.op1Kind;
  if (kind !== OpKind.Immediate8to64 && kind !== OpKind.Immediate32to64) return 0;
  const amount = signed(iced.immediate(1));
  return mnemonic === Mnemonic.Add ? amount : -amount;
}

const INCREMENTS: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Inc, Mnemonic.Dec, Mnemonic.Add, Mnemonic.Sub, Mnemonic.Lea],
]);

/** By none at all, perhaps: then flags stay as they are. */
const isShiftByRegister = (iced: Iced): boolean =>
  iced.opCount > 1 &&
  iced.opKind(iced.opCount - 1) === OpKind.Register &&
  iced.opRegister(iced.opCount - 1) === Register.CL &&
  SHIFTS.has(iced.mnemonic);

const SHIFTS: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Shl, Mnemonic.Sal, Mnemonic.Shr, Mnemonic.Sar, Mnemonic.Shld, Mnemonic.Shrd],
]);

const signed = (value: bigint): number => Number(BigInt.asIntN(64, value));

const SEARCHES: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Scasb, Mnemonic.Scasw, Mnemonic.Scasd, Mnemonic.Scasq],
  ...[Mnemonic.Cmpsb, Mnemonic.Cmpsw, Mnemonic.Cmpsd, Mnemonic.Cmpsq],
]);

const operandOf = (iced: Iced, n: number): Operand => {
  const kind = iced.opKind(n);
  return { kind, register: kind === OpKind.Register ? iced.opRegister(n) : Register.None };
};

function directTarget(iced: Iced): number {
  const { flowControl: flow } = iced;
  const isDirect =
    flow === FlowControl.ConditionalBranch ||
    flow === FlowControl.UnconditionalBranch ||
    flow === FlowControl.Call;
  return isDirect && iced.op0Kind === OpKind.NearBranch64 ? signed(iced.nearBranchTarget) : NOWHERE;
}

function displacementAt(decoder: Decoder, iced: Iced): number {
  const offsets = decoder.getConstantOffsets(iced);
  const at = offsets.displacementOffset;
  offsets.free();
  return at;
}

function registersOf(used: UsedRegister[]): Pick<Instruction, 'reads' | 'writes' | 'replaces'> {
  let reads: RegisterSet = 0;
  let writes: RegisterSet = 0;
  let replaces: RegisterSet = 0;
  for (const one of used) {
    const { register, access } = one;
    one.free();
    const number = generalRegister(register);
    if (number === NO_REGISTER) continue;
    const bit = 1 << number;
    const isWrite = WRITES.has(access);
    if (READS.has(access)) reads |= bit;
    if (!isWrite) continue;
    writes |= bit;
    // Writing eax clears the upper half of rax; writing ax or al leaves the rest, which so is read.
    if (access === OpAccess.Write && registerSize(register) >= 4) replaces |= bit;
    else reads |= bit;
  }
  return { reads, writes, replaces };
}

const READS: ReadonlySet<OpAccess> = new Set([
  ...[OpAccess.Read, OpAccess.CondRead, OpAccess.ReadWrite, OpAccess.ReadCondWrite],
]);
const WRITES: ReadonlySet<OpAccess> = new Set([
  ...[OpAccess.Write, OpAccess.CondWrite, OpAccess.ReadWrite, OpAccess.ReadCondWrite],
]);

function memoryOf(used: UsedMemory[], iced: Iced): readonly MemoryOperand[] {
  if (used.length === 0) return NO_MEMORY;
  const operands: MemoryOperand[] = [];
  for (const one of used) {
    const { access } = one;
    const isRead = READS.has(access);
    const isWritten = WRITES.has(access);
    if (isRead || isWritten) operands.push(memoryOperand(one, iced, isRead, isWritten));
    one.free();
  }
  return operands;
}

const NO_MEMORY: readonly MemoryOperand[] = [];

function memoryOperand(
  used: UsedMemory,
  iced: Iced,
  isRead: boolean,
  isWritten: boolean,
): MemoryOperand {
  const isRelative = used.base === Register.RIP;
  const base = isRelative ? NO_REGISTER : generalRegister(used.base);
  return {
    base,
    index: generalRegister(used.index),
    scale: used.scale,
    displacement: signed(used.displacement),
    // How much `rep movsq` touches in all is not known; an element has the size of the operand.
    size: MemorySizeExt.size(iced.isStringInstruction ? iced.memorySize : used.memorySize),
    isRead,
    isWritten,
    place: placeOf(used, iced, base),
  };
}

function placeOf(used: UsedMemory, iced: Iced, base: number): OperandPlace {
  if (used.segment === Register.FS) return 'fs';
  if (used.segment === Register.GS) return 'gs';
  if (iced.isVsib) return 'scattered';
  // `push [rsp+8]` has both: what it pushes, and an operand of its own, which is where iced says.
  const isOwnOperand = iced.memoryBase === Register.RSP && used.index === iced.memoryIndex;
  return iced.isStackInstruction && base === RSP && !isOwnOperand ? 'pushed' : 'memory';
}
