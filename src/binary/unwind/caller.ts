/**
 * From the registers in a frame to those in the frame of its caller, by the unwind tables:
 *
 *   worker   rip 0x5555_5555_5189   rsp 0x7fff_f7d8_ee90   the frame is at rsp + 32, the return address below
 *   caller   rip 0x7fff_f7e1_c134   rsp 0x7fff_f7d8_eeb0
 *
 * A register of which nothing is said is taken to be the same; for those that a call may change that is a
 * guess, but no function hangs its frame on one of these.
 */
import { BadBinary } from '../byte-reader.ts';
import { callFrameAt, type RegisterRule } from './call-frame-state.ts';
import type { Fde } from './eh-frame.ts';
import { evaluateExpression, type Surroundings } from './evaluate-expression.ts';

/** DWARF's numbers. */
export const STACK_POINTER = 7;
export const RETURN_ADDRESS = 16;

/** By DWARF's numbers, with the instruction's address in the place of the return address; undefined: not known. */
export type FrameRegisters = readonly (bigint | undefined)[];

/** `address`: of the instruction, as in the image. undefined if nobody has called this, or it cannot be told. */
export function callerOf(
  fde: Fde,
  address: number,
  registers: FrameRegisters,
  word: Surroundings['word'],
): FrameRegisters | undefined {
  try {
    const { frame, rules } = callFrameAt(fde, address);
    const around = { register: (number: number) => registers[number], word };
    if (frame === undefined) return undefined;
    const base =
      'expression' in frame
        ? evaluateExpression(frame.expression, around)
        : sum(registers[frame.register], frame.offset);
    if (base === undefined) return undefined;
    const caller = registers.slice();
    caller[STACK_POINTER] = base;
    for (const [register, rule] of rules) caller[register] = valueBy(rule, register, base, around);
    const isReturn = rules.has(fde.cie.returnRegister);
    caller[RETURN_ADDRESS] = isReturn ? caller[fde.cie.returnRegister] : undefined;
    return caller[RETURN_ADDRESS] ? caller : undefined;
  } catch (error) {
    if (error instanceof BadBinary) return undefined;
    throw error;
  }
}

function valueBy(
  rule: RegisterRule,
  register: number,
  base: bigint,
  around: Surroundings,
): bigint | undefined {
  const wordAt = (address: bigint | undefined): bigint | undefined =>
    address === undefined ? undefined : around.word(address);
  switch (rule.kind) {
    case 'unknown':
      return undefined;
    case 'same':
      return around.register(register);
    case 'at-offset':
      return wordAt(sum(base, rule.offset));
    case 'value-offset':
      return sum(base, rule.offset);
    case 'register':
      return around.register(rule.register);
    case 'at-expression':
      return wordAt(evaluateExpression(rule.expression, around, [base]));
    case 'value-expression':
      return evaluateExpression(rule.expression, around, [base]);
  }
}

const sum = (value: bigint | undefined, offset: number): bigint | undefined =>
  value === undefined ? undefined : BigInt.asUintN(64, value + BigInt(offset));
