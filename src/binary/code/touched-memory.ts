/**
 * Which bytes a thread is about to touch that stands before an instruction, from its registers:
 *
 *   add dword ptr [rbx+rcx*4+8],eax     with rbx = 0x5000, rcx = 3: 4 bytes at 0x5014, read and written
 *   rep movsb                           rcx bytes at rsi are read, and as many at rdi written
 *
 * Only what is touched for certain is told: of a search (repne scasb) the first element; nothing of a gather or
 * scatter, whose addresses are in vector registers, nor of a store that a mask may leave out.
 */
import { Decoder, Mnemonic, Register } from 'iced-x86';
import { NO_REGISTER, RCX, type RegisterNumber } from './general-registers.ts';
import { type Instruction, type MemoryOperand, NOWHERE } from './instruction.ts';

export interface TouchedBytes {
  readonly address: bigint;
  readonly size: number;
  readonly isRead: boolean;
  readonly isWritten: boolean;
}

/** Of a thread that stands still. */
export interface RegisterValues {
  general(register: RegisterNumber): bigint;
  readonly fsBase: bigint;
  readonly gsBase: bigint;
  readonly flags: bigint;
}

/** Whether `touchedMemory` can tell; `bytes` are those of the instruction. */
export const tellsWhatItTouches = ({ memory }: Instruction, bytes: Uint8Array): boolean =>
  memory.some(({ place }) => place !== 'pushed') &&
  memory.every(({ place }) => place !== 'scattered') &&
  !isMasked(bytes);

export function touchedMemory(instruction: Instruction, values: RegisterValues): TouchedBytes[] {
  return instruction.memory.flatMap((operand) => {
    const { isRead, isWritten, place } = operand;
    if (place === 'pushed') return [];
    const range = repeated(instruction, addressOf(instruction, operand, values), operand, values);
    return range.size === 0 ? [] : [{ ...range, isRead, isWritten }];
  });
}

function addressOf(
  { relativeOperand }: Instruction,
  { base, index, scale, displacement, place }: MemoryOperand,
  values: RegisterValues,
): bigint {
  const segment = place === 'fs' ? values.fsBase : place === 'gs' ? values.gsBase : 0n;
  const isRelative = relativeOperand !== NOWHERE && base === NO_REGISTER;
  const constant = BigInt(isRelative ? relativeOperand : displacement);
  const ofBase = base === NO_REGISTER ? 0n : values.general(base);
  const ofIndex = index === NO_REGISTER ? 0n : values.general(index) * BigInt(scale);
  return BigInt.asUintN(64, segment + ofBase + ofIndex + constant);
}

/** The flag that makes string instructions go down. */
const DIRECTION_FLAG = 1n << 10n;

function repeated(
  { repetition }: Instruction,
  address: bigint,
  { size }: MemoryOperand,
  values: RegisterValues,
): { address: bigint; size: number } {
  if (repetition === 'none') return { address, size };
  const times = Number(values.general(RCX));
  if (times === 0) return { address, size: 0 };
  if (repetition === 'searching') return { address, size };
  const goesDown = (values.flags & DIRECTION_FLAG) !== 0n;
  const total = size * times;
  return { address: goesDown ? address - BigInt(total - size) : address, size: total };
}

/** Some elements may be left out: by a mask register, or by a vector that is one. */
function isMasked(bytes: Uint8Array): boolean {
  const decoder = new Decoder(64, bytes, 0);
  const iced = decoder.decode();
  const isOne = iced.opMask !== Register.None || MASKED.has(iced.mnemonic);
  iced.free();
  decoder.free();
  return isOne;
}

const MASKED: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Vmaskmovps, Mnemonic.Vmaskmovpd, Mnemonic.Vpmaskmovd, Mnemonic.Vpmaskmovq],
  ...[Mnemonic.Maskmovq, Mnemonic.Maskmovdqu, Mnemonic.Vmaskmovdqu],
]);

export const overlap = (
  one: Pick<TouchedBytes, 'address' | 'size'>,
  other: Pick<TouchedBytes, 'address' | 'size'>,
): boolean =>
  one.address < other.address + BigInt(other.size) &&
  other.address < one.address + BigInt(one.size);
