/**
 * Which operands of an instruction may be memory that other threads see: all but those on the own stack (by rsp,
 * or by rbp where the frame hangs on it), what each thread has for itself, and what nobody can write to.
 *
 *   mov eax,[rip+total]      may be seen
 *   mov eax,[rsp+12]         own stack; a pointer to it is told from others only while the program runs
 *   mov rax,fs:[0x28]        own
 */
import { NO_REGISTER, RBP, RSP } from '../../binary/code/general-registers.ts';
import { type Instruction, type MemoryOperand, NOWHERE } from '../../binary/code/instruction.ts';
import type { FrameBases } from '../../binary/code/stack-frame.ts';
import { SegmentFlag, SegmentType } from '../../binary/elf/constants.ts';
import type { ElfFile } from '../../binary/elf/elf-file.ts';

export type IsConstant = (address: number) => boolean;

/** Sections that the loader makes read-only once it is done. */
const SETTLED = ['.got', '.data.rel.ro', '.init_array', '.fini_array', '.dynamic'];

export function constantAddresses(elf: ElfFile): IsConstant {
  const loaded = elf.segments.filter(({ type }) => type === SegmentType.load);
  const constant = [
    ...loaded.filter(({ flags }) => (flags & SegmentFlag.write) === 0),
    ...elf.sections.filter(({ name }) => SETTLED.includes(name)),
  ].map(({ address, size }) => ({ from: address, to: address + size }));
  return (address) => constant.some(({ from, to }) => address >= from && address < to);
}

/** Indices into `Instruction.memory`. */
export function sharedOperands(
  instruction: Instruction,
  bases: FrameBases,
  isConstant: IsConstant,
): number[] {
  const isRelative = instruction.relativeOperand !== NOWHERE;
  const isShared = (operand: MemoryOperand): boolean => {
    const { base, index, place } = operand;
    if (place !== 'memory' && place !== 'scattered') return false;
    if (base === RSP) return false;
    if (base === RBP && bases(instruction.address)?.register === RBP) return false;
    const isFixed = isRelative && base === NO_REGISTER && index === NO_REGISTER;
    return !(isFixed && !operand.isWritten && isConstant(instruction.relativeOperand));
  };
  return instruction.memory.flatMap((operand, index) => (isShared(operand) ? [index] : []));
}
