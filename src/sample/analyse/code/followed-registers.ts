/**
 * Registers and flags with the numbers that a sample has, as far as they are known while the code behind it is
 * followed (follower.ts). What comes from memory is not: NaN, and whatever is made of that.
 *
 *   lea edx,[r8+r12]     r8 = 0xfffff000, r12 = 0x1234: edx = 0x234, and the upper half of rdx is 0
 *   cmp r12,r9           what a jump behind it asks for is worked out when it asks
 *   mov rax,[rdi]        rax is NaN
 *
 * Numbers have a sign, and are exact below 2^53 in either direction, as all addresses are; what gets larger is NaN.
 */
import { ConditionCode } from 'iced-x86';

const EXACT = 2 ** 53;
const TWO_TO_32 = 2 ** 32;
const GENERAL_REGISTERS = 16;

export const exact = (value: number): number => (Math.abs(value) < EXACT ? value : Number.NaN);

/** The lowest bytes of a number, without a sign if they are fewer than eight. */
export function lowest(value: number, size: number): number {
  if (size === 8 || Number.isNaN(value)) return exact(value);
  return size === 4 ? value >>> 0 : size === 2 ? value & 0xffff : value & 0xff;
}

/** The same bytes with a sign. */
export function withSign(value: number, size: number): number {
  if (size === 8 || Number.isNaN(value)) return value;
  return size === 4 ? value | 0 : size === 2 ? (value << 16) >> 16 : (value << 24) >> 24;
}

/** `and`, `or` and `xor` of 64 bits, as two halves. */
export function bitwise(
  one: number,
  other: number,
  operation: (one: number, other: number) => number,
): number {
  if (Number.isNaN(one + other)) return Number.NaN;
  const high = operation(Math.floor(one / TWO_TO_32), Math.floor(other / TWO_TO_32));
  return exact(high * TWO_TO_32 + (operation(one >>> 0, other >>> 0) >>> 0));
}

/** For those who know no sign, what is below 0 is above all others. */
const isBelow = (left: number, right: number): boolean =>
  left < 0 === right < 0 ? left < right : right < 0;

/** Which flags are known: all, by two numbers that were compared; or what a result says of itself. */
type FlagSource = 'nothing' | 'compared' | 'logic' | 'result';

export class FollowedRegisters {
  readonly values = new Float64Array(GENERAL_REGISTERS);
  /** What accesses are relative to, besides registers. */
  imageBase = 0;
  fsBase = 0;
  gsBase = 0;
  #source: FlagSource = 'nothing';
  #left = 0;
  #right = 0;
  #size = 8;

  forgetFlags(): void {
    this.#source = 'nothing';
  }

  /** By cmp and sub: both without a sign if they have fewer than eight bytes. */
  compared(left: number, right: number, size: number): void {
    this.#note('compared', left, right, size);
  }

  /** By test, and, or, xor: neither carry nor overflow. */
  logic(result: number, size: number): void {
    this.#note('logic', result, 0, size);
  }

  /** By what may carry or overflow: only whether it is zero, and its sign. */
  result(result: number, size: number): void {
    this.#note('result', result, 0, size);
  }

  #note(source: FlagSource, left: number, right: number, size: number): void {
    this.#source = Number.isNaN(left + right) ? 'nothing' : source;
    this.#left = left;
    this.#right = right;
    this.#size = size;
  }

  /** undefined if nobody knows. */
  holds(condition: ConditionCode): boolean | undefined {
    if (this.#source === 'nothing') return undefined;
    switch (condition) {
      case ConditionCode.e:
        return this.#left === this.#right;
      case ConditionCode.ne:
        return this.#left !== this.#right;
      case ConditionCode.s:
        return this.#isNegative();
      case ConditionCode.ns:
        return !this.#isNegative();
      case ConditionCode.b:
        return this.#isOrdered((left, right) => isBelow(left, right));
      case ConditionCode.ae:
        return this.#isOrdered((left, right) => !isBelow(left, right));
      case ConditionCode.be:
        return this.#isOrdered((left, right) => !isBelow(right, left));
      case ConditionCode.a:
        return this.#isOrdered((left, right) => isBelow(right, left));
      case ConditionCode.l:
        return this.#isOrdered((left, right) => left < right);
      case ConditionCode.ge:
        return this.#isOrdered((left, right) => left >= right);
      case ConditionCode.le:
        return this.#isOrdered((left, right) => left <= right);
      case ConditionCode.g:
        return this.#isOrdered((left, right) => left > right);
      // What hardly any loop asks for.
      case ConditionCode.o:
      case ConditionCode.no:
      case ConditionCode.p:
      case ConditionCode.np:
      case ConditionCode.None:
        return undefined;
    }
  }

  /** A result without carry and overflow is as if it had been compared with 0. */
  #isOrdered(as: (left: number, right: number) => boolean): boolean | undefined {
    if (this.#source === 'result') return undefined;
    return as(withSign(this.#left, this.#size), withSign(this.#right, this.#size));
  }

  #isNegative(): boolean {
    return withSign(lowest(this.#left - this.#right, this.#size), this.#size) < 0;
  }
}
