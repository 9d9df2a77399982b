/**
 * What an instruction does to registers and flags whose numbers are known (followed-registers.ts), looked up once:
 *
 *   add r12,1       values[r12] = values[r12] + 1, and the flags are those of that result
 *   imul eax,ecx    32 bits of the product; flags are not known
 *   cmove eax,r11d  by the flags, if they are known; otherwise nobody knows eax
 *   div rcx         none of these: rax and rdx are not known any more
 *
 * Whatever is not listed here makes what it writes unknown, so that nothing can be wrong for being rare.
 */
import { ConditionCode, type Instruction as Iced, Mnemonic, OpKind, Register } from 'iced-x86';
import {
  generalRegister,
  NO_REGISTER,
  RAX,
  RSP,
  registerSize,
} from '../../../binary/code/general-registers.ts';
import type { Instruction } from '../../../binary/code/instruction.ts';
import { type Source, sizeOf, sourceOf } from './followed-operands.ts';
import { bitwise, exact, type FollowedRegisters, lowest, withSign } from './followed-registers.ts';

export type Effect = (registers: FollowedRegisters) => void;

type Arithmetic = (one: number, other: number, size: number) => number;
type NotesFlags = 'compared' | 'logic' | 'result';

export function effectOf(iced: Iced, instruction: Instruction): Effect {
  const forget = forgetting(iced, instruction);
  const known = knownEffect(iced);
  if (known === undefined) return forget;
  return (registers) => known(registers, forget);
}

function forgetting(iced: Iced, { writes }: Instruction): Effect {
  const changesFlags = iced.rflagsModified !== 0;
  const written = Array.from({ length: 16 }, (_, n) => n).filter((n) => (writes & (1 << n)) !== 0);
  return (registers) => {
    for (const register of written) registers.values[register] = Number.NaN;
    if (changesFlags) registers.forgetFlags();
  };
}

type KnownEffect = (registers: FollowedRegisters, forget: Effect) => void;

function knownEffect(iced: Iced): KnownEffect | undefined {
  const { mnemonic } = iced;
  if (mnemonic === Mnemonic.Push || mnemonic === Mnemonic.Pop) return moved(iced);
  if (mnemonic === Mnemonic.Cmp || mnemonic === Mnemonic.Test) return asked(iced);
  if (mnemonic === Mnemonic.Cdqe)
    return assigns(RAX, ({ values }) => withSign(lowest(values[RAX]!, 4), 4));
  const to =
    iced.opCount > 0 && iced.op0Kind === OpKind.Register ? iced.op0Register : Register.None;
  const [number, size] = [generalRegister(to), registerSize(to)];
  // What writes al or ax leaves the rest of rax.
  if (number === NO_REGISTER || size < 4) return undefined;
  if (mnemonic === Mnemonic.Lea) return assigns(number, addressed(iced, size));
  const copy = COPIES.get(mnemonic);
  if (copy !== undefined) {
    const from = sourceOf(iced, 1);
    const fromSize = sizeOf(iced, 1);
    return assigns(number, (registers) => lowest(copy(from(registers), fromSize), size));
  }
  if (isConditionalMove(iced)) return movesIf(iced, number, size);
  return computed(iced, number, size);
}

/** What it is made of is read first: it may be what is written. */
const assigns =
  (to: number, source: Source): KnownEffect =>
  (registers, forget) => {
    const value = source(registers);
    forget(registers);
    registers.values[to] = value;
  };

const COPIES: ReadonlyMap<Mnemonic, (value: number, size: number) => number> = new Map([
  [Mnemonic.Mov, (value: number): number => value],
  [Mnemonic.Movzx, (value: number): number => value],
  [Mnemonic.Movsx, withSign],
  [Mnemonic.Movsxd, withSign],
]);

function moved(iced: Iced): KnownEffect {
  const amount = iced.stackPointerIncrement;
  const isPoppedTo = iced.mnemonic === Mnemonic.Pop && iced.op0Register === Register.RSP;
  return assigns(RSP, ({ values }) => (isPoppedTo ? Number.NaN : exact(values[RSP]! + amount)));
}

function asked(iced: Iced): KnownEffect {
  const [one, other, size] = [sourceOf(iced, 0), sourceOf(iced, 1), sizeOf(iced, 0)];
  const isTest = iced.mnemonic === Mnemonic.Test;
  return (registers, forget) => {
    const [left, right] = [one(registers), other(registers)];
    forget(registers);
    if (isTest) registers.logic(bitwise(left, right, and), size);
    else registers.compared(left, right, size);
  };
}

function addressed(iced: Iced, size: number): Source {
  const { memoryBase, memoryIndex, memoryIndexScale } = iced;
  if ([memoryBase, memoryIndex].some((one) => registerSize(one) === 4)) return () => Number.NaN;
  if (iced.isIpRelMemoryOperand) {
    const place = Number(BigInt.asIntN(64, iced.ipRelMemoryAddress));
    return ({ imageBase }) => lowest(exact(imageBase + place), size);
  }
  const [base, index] = [generalRegister(memoryBase), generalRegister(memoryIndex)];
  const constant = Number(BigInt.asIntN(64, iced.memoryDisplacement));
  return ({ values }) => {
    const ofBase = base === NO_REGISTER ? 0 : values[base]!;
    const ofIndex = index === NO_REGISTER ? 0 : values[index]! * memoryIndexScale;
    return lowest(exact(exact(ofBase + exact(ofIndex)) + constant), size);
  };
}

const isConditionalMove = (iced: Iced): boolean =>
  iced.conditionCode !== ConditionCode.None && iced.opCount === 2;

/** Of 32 bits, the upper half is cleared also where nothing is moved. */
function movesIf(iced: Iced, to: number, size: number): KnownEffect {
  const [from, condition] = [sourceOf(iced, 1), iced.conditionCode];
  return assigns(to, (registers) => {
    const isMoved = registers.holds(condition);
    if (isMoved === undefined) return Number.NaN;
    return lowest(isMoved ? from(registers) : registers.values[to]!, size);
  });
}

const and = (one: number, other: number): number => one & other;
const or = (one: number, other: number): number => one | other;
const xor = (one: number, other: number): number => one ^ other;
const shiftedBy = (count: number, size: number): number => 2 ** (count & (size === 8 ? 63 : 31));

const ARITHMETIC: ReadonlyMap<Mnemonic, readonly [Arithmetic, NotesFlags | undefined]> = new Map<
  Mnemonic,
  readonly [Arithmetic, NotesFlags | undefined]
>([
  [Mnemonic.Add, [(one, other) => one + other, 'result']],
  [Mnemonic.Inc, [(one) => one + 1, 'result']],
  [Mnemonic.Dec, [(one) => one - 1, 'result']],
  [Mnemonic.Sub, [(one, other) => one - other, 'compared']],
  [Mnemonic.Neg, [(one) => 0 - one, 'result']],
  [Mnemonic.Not, [(one) => -1 - one, undefined]],
  [Mnemonic.And, [(one, other) => bitwise(one, other, and), 'logic']],
  [Mnemonic.Or, [(one, other) => bitwise(one, other, or), 'logic']],
  [Mnemonic.Xor, [(one, other) => bitwise(one, other, xor), 'logic']],
  [Mnemonic.Shl, [(one, other, size) => exact(one * shiftedBy(other, size)), undefined]],
  [
    Mnemonic.Shr,
    [
      (one, other, size) => (one < 0 ? Number.NaN : Math.floor(one / shiftedBy(other, size))),
      undefined,
    ],
  ],
  [
    Mnemonic.Sar,
    [(one, other, size) => Math.floor(withSign(one, size) / shiftedBy(other, size)), undefined],
  ],
  [
    Mnemonic.Imul,
    [(one, other, size) => (size === 4 ? Math.imul(one, other) : exact(one * other)), undefined],
  ],
]);

function computed(iced: Iced, to: number, size: number): KnownEffect | undefined {
  const found = ARITHMETIC.get(iced.mnemonic);
  if (found === undefined) return undefined;
  const [arithmetic, flags] = found;
  const { mnemonic, opCount } = iced;
  // With one operand, it is a product of 128 bits.
  if (mnemonic === Mnemonic.Imul && opCount === 1) return undefined;
  const one = sourceOf(iced, opCount === 3 ? 1 : 0);
  const other: Source = opCount === 1 ? () => 0 : sourceOf(iced, opCount - 1);
  const isZero =
    (mnemonic === Mnemonic.Xor || mnemonic === Mnemonic.Sub) &&
    iced.op1Kind === OpKind.Register &&
    iced.op1Register === iced.op0Register;
  return (registers, forget) => {
    const [left, right] = isZero ? [0, 0] : [one(registers), other(registers)];
    const isKnown = !Number.isNaN(left + right);
    const result = isKnown ? lowest(arithmetic(left, right, size), size) : Number.NaN;
    forget(registers);
    registers.values[to] = result;
    if (flags === 'compared') registers.compared(left, right, size);
    else if (flags !== undefined) registers[flags](result, size);
  };
}
