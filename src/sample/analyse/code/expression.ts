/**
 * What a register holds, told by registers of a sample: `rbx + rcx*8 + 16`. A register that is not there is
 * NOTHING, which is 0; what an instruction points at relative to itself is IMAGE, where the image was loaded,
 * plus an address of the image.
 *
 *   lea rax,[rbx+rcx*8]      rax is rbx + rcx*8
 *   mov [rax+16],rdx         so this is about rbx + rcx*8 + 16
 *
 * One that nobody can tell is undefined.
 */
import { NO_REGISTER, type RegisterNumber } from '../../../binary/code/general-registers.ts';

/** Besides the sixteen general registers. */
export const FS = 16;
export const GS = 17;
export const NOTHING = 18;
export const IMAGE = 19;
/** How many there are in all. */
export const VALUES = 20;

export interface Expression {
  readonly base: RegisterNumber;
  readonly index: RegisterNumber;
  readonly scale: number;
  readonly constant: number;
}

export const registerAlone = (register: RegisterNumber): Expression => ({
  ...{ base: register, index: NOTHING, scale: 1, constant: 0 },
});

/** A larger one is rather an address that nobody means. */
const LARGEST_CONSTANT = 2 ** 47;

export function plus(one: Expression | undefined, constant: number): Expression | undefined {
  if (one === undefined) return undefined;
  const sum = one.constant + constant;
  return Math.abs(sum) <= LARGEST_CONSTANT ? { ...one, constant: sum } : undefined;
}

/** `one + other * scale`, if that is again a sum of one register and a multiple of another. */
export function sum(
  one: Expression | undefined,
  other: Expression | undefined,
  scale: number,
): Expression | undefined {
  if (one === undefined || other === undefined) return undefined;
  if (other.index !== NOTHING) {
    return scale === 1 && one.index === NOTHING ? sumOfTwo(other, one) : undefined;
  }
  const constant = one.constant + other.constant * scale;
  if (other.base === NOTHING) return plus({ ...one, constant: 0 }, constant);
  if (one.index === NOTHING) {
    return plus({ base: one.base, index: other.base, scale, constant: 0 }, constant);
  }
  return one.base === NOTHING && scale === 1
    ? plus({ ...one, base: other.base, constant: 0 }, constant)
    : undefined;
}

/** `other` is a register and a constant. */
const sumOfTwo = (one: Expression, other: Expression): Expression | undefined =>
  other.base === NOTHING
    ? plus(one, other.constant)
    : one.base === NOTHING
      ? plus({ ...one, base: other.base }, other.constant)
      : undefined;

/** What each register holds: one for each of the sixteen. */
export type RegisterState = readonly (Expression | undefined)[];

const GENERAL_REGISTERS = 16;

/** As the sample has them. */
export const sampledState = (): RegisterState =>
  Array.from({ length: GENERAL_REGISTERS }, (_, register) => registerAlone(register));

const ZERO: Expression = registerAlone(NOTHING);

export const heldBy = (state: RegisterState, register: RegisterNumber): Expression | undefined =>
  register === NO_REGISTER ? ZERO : state[register];
