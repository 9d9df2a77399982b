/**
 * Which operands are a function's own business: variables and spilled registers in its frame, as long as it
 * gives their addresses to nobody. Given
 *
 *   lea rdi,[rsp+16]      an address in the frame goes out, so what lies there and above may be shared
 *   call g
 *   mov [rsp+8],rax       below: private
 *   mov [rsp+24],rax      above: somebody else may have a pointer to it
 *
 * Places are told relative to the frame's base as the unwind tables know it (the canonical frame address), so
 * that `[rsp+8]` before a push and `[rsp+16]` after it are the same.
 */
import { Mnemonic } from 'iced-x86';
import type { FunctionCode } from './function-code.ts';
import {
  generalRegister,
  NO_REGISTER,
  RBP,
  type RegisterNumber,
  RSP,
} from './general-registers.ts';
import type { Instruction, MemoryOperand } from './instruction.ts';

/** Where the frame's base is, while an instruction is about to run: a register and what to add. */
export interface FrameBase {
  readonly register: RegisterNumber;
  readonly offset: number;
}

/** undefined where the tables tell it by a formula, or not at all. */
export type FrameBases = (address: number) => FrameBase | undefined;

export class StackFrame {
  readonly #baseAt: FrameBases;
  /** Relative to the frame's base: from here on, others may have an address. */
  readonly #sharedFrom: number;

  constructor(code: FunctionCode, baseAt: FrameBases) {
    this.#baseAt = baseAt;
    this.#sharedFrom = code.instructions.reduce(
      (lowest, instruction) => Math.min(lowest, this.#lowestGivenAway(instruction)),
      Number.POSITIVE_INFINITY,
    );
  }

  isPrivate(instruction: Instruction, operand: MemoryOperand): boolean {
    const { base, displacement } = operand;
    if (base !== RSP && base !== RBP) return false;
    const place = this.#placeOf(instruction.address, base, displacement);
    if (place === 'elsewhere') return false;
    if (place === 'unknown') return this.#sharedFrom === Number.POSITIVE_INFINITY;
    // An index may go up from there, through an array.
    const isArray = operand.index !== NO_REGISTER;
    return isArray ? this.#sharedFrom === Number.POSITIVE_INFINITY : place < this.#sharedFrom;
  }

  #lowestGivenAway(instruction: Instruction): number {
    const { mnemonic, operands, address, length } = instruction;
    const [to, from] = operands;
    const source = from ? generalRegister(from.register) : NO_REGISTER;
    const isFrame = source === RSP || (source === RBP && this.#isFrameRegister(address));
    const target = to ? generalRegister(to.register) : NO_REGISTER;
    if (mnemonic === Mnemonic.Lea) return this.#leaGivesAway(instruction, target);
    if (!isFrame || HARMLESS.has(mnemonic)) return Number.POSITIVE_INFINITY;
    // `mov rbp,rsp` and `mov rsp,rbp` come and go with the frame; but where rbp is a register like any other,
    // it is a pointer to the lowest variable.
    const isFrameRegister = target === RBP && this.#isFrameRegister(address + length);
    const isOwn = mnemonic === Mnemonic.Mov && (isFrameRegister || target === RSP);
    return isOwn ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  #leaGivesAway(instruction: Instruction, target: RegisterNumber): number {
    const base = instruction.addressBase;
    if (target === RSP || (base !== RSP && base !== RBP)) return Number.POSITIVE_INFINITY;
    const place = this.#placeOf(instruction.address, base, instruction.addressDisplacement);
    if (place === 'elsewhere') return Number.POSITIVE_INFINITY;
    // An index may go down from there.
    const isKnown = place !== 'unknown' && instruction.addressIndex === NO_REGISTER;
    return isKnown ? place : Number.NEGATIVE_INFINITY;
  }

  #placeOf(
    address: number,
    register: RegisterNumber,
    displacement: number,
  ): number | 'elsewhere' | 'unknown' {
    const base = this.#baseAt(address);
    if (base?.register === register) return displacement - base.offset;
    // rbp is a register like any other, unless the frame hangs on it.
    return register === RSP ? 'unknown' : 'elsewhere';
  }

  #isFrameRegister(address: number): boolean {
    return this.#baseAt(address)?.register === RBP;
  }
}

/** They look at an address, or keep it on the stack: push rbp, cmp rax,rsp. */
const HARMLESS: ReadonlySet<Mnemonic> = new Set([Mnemonic.Cmp, Mnemonic.Test, Mnemonic.Push]);
