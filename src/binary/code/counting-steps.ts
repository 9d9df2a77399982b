/**
 * A constant that is added in steps, as compilers do without optimisation, and of volatile variables:
 *
 *   mov eax,[rip+requests]        mov eax,[rax]
 *   add eax,1                     lea edx,[rax+1]
 *   mov [rip+requests],eax        mov rax,[rbp-8]      other work may come between
 *                                 mov [rax],edx
 *
 * Only if neither the sum nor what was there before is used for anything else: what a register has is followed to where
 * it is replaced.
 */
import { Decoder, FlowControl, Mnemonic, OpKind } from 'iced-x86';
import { generalRegister, NO_REGISTER, type RegisterNumber, setOf } from './general-registers.ts';
import type { Instruction } from './instruction.ts';
import { isReadLater } from './read-later.ts';
import { isSamePlace } from './same-place.ts';

export interface CountingSteps {
  readonly load: Instruction;
  readonly store: Instruction;
  readonly added: bigint;
}

const MOST_STEPS = 6;

/** `instruction`: the load, or the store; `instructions`: all of the function. */
export function countingSteps(
  instruction: Instruction,
  bytesOf: (one: Instruction) => Uint8Array,
  instructions: readonly Instruction[],
): CountingSteps | undefined {
  const place = instructions.indexOf(instruction);
  for (let from = place; from >= Math.max(0, place - MOST_STEPS); from--) {
    const steps = stepsFrom(from, bytesOf, instructions);
    if (steps && (steps.load === instruction || steps.store === instruction)) return steps;
  }
  return undefined;
}

function stepsFrom(
  from: number,
  bytesOf: (one: Instruction) => Uint8Array,
  instructions: readonly Instruction[],
): CountingSteps | undefined {
  const load = instructions[from]!;
  const value = moved(load, 0);
  if (value === NO_REGISTER) return undefined;
  let alive = setOf(value);
  let sum: Sum | undefined;
  for (let at = from + 1; at <= from + MOST_STEPS && at < instructions.length; at++) {
    const one = instructions[at]!;
    if (one.flow !== FlowControl.Next) return undefined;
    if (sum !== undefined && moved(one, 1) === sum.register) {
      const isSame = isSamePlace(one, one.memory[0]!, load, load.memory[0]!);
      const isOnlyThat = isSame && !isReadLater(alive, at + 1, instructions);
      return isOnlyThat ? { load, store: one, added: sum.added } : undefined;
    }
    const next = sum === undefined ? sumOf(one, value, bytesOf(one)) : undefined;
    if (next === undefined && (one.reads & alive) !== 0) return undefined;
    alive &= ~one.replaces;
    if (next === undefined) continue;
    sum = next;
    alive |= setOf(sum.register);
  }
  return undefined;
}

/** The register of a plain move from memory (0), or to it (1). */
function moved({ mnemonic, memory, operands }: Instruction, operand: 0 | 1): RegisterNumber {
  const isOne =
    mnemonic === Mnemonic.Mov &&
    memory.length === 1 &&
    memory[0]!.isWritten === (operand === 1) &&
    operands[operand]?.kind === OpKind.Register;
  return isOne ? generalRegister(operands[operand]!.register) : NO_REGISTER;
}

interface Sum {
  readonly register: RegisterNumber;
  readonly added: bigint;
}

function sumOf(one: Instruction, value: RegisterNumber, bytes: Uint8Array): Sum | undefined {
  const { mnemonic, operands, addressBase, addressIndex, addressDisplacement } = one;
  const [first, second] = operands;
  const register = first?.kind === OpKind.Register ? generalRegister(first.register) : NO_REGISTER;
  if (mnemonic === Mnemonic.Lea) {
    const isOne = addressBase === value && addressIndex === NO_REGISTER;
    return isOne ? { register, added: BigInt(addressDisplacement) } : undefined;
  }
  if (register !== value || one.memory.length > 0) return undefined;
  if (mnemonic === Mnemonic.Inc) return { register, added: 1n };
  if (mnemonic === Mnemonic.Dec) return { register, added: -1n };
  const isSub = mnemonic === Mnemonic.Sub;
  if ((mnemonic !== Mnemonic.Add && !isSub) || second?.kind === OpKind.Register) return undefined;
  const constant = immediateOf(bytes);
  return { register, added: isSub ? -constant : constant };
}

function immediateOf(bytes: Uint8Array): bigint {
  const decoder = new Decoder(64, bytes, 0);
  const iced = decoder.decode();
  const constant = BigInt.asIntN(64, iced.immediate(1));
  iced.free();
  decoder.free();
  return constant;
}
