/** What the operands of an instruction are worth while it is followed (followed-steps.ts). */
import { type Instruction as Iced, OpKind, Register } from 'iced-x86';
import {
  generalRegister,
  NO_REGISTER,
  registerSize,
} from '../../../binary/code/general-registers.ts';
import { type FollowedRegisters, lowest } from './followed-registers.ts';

export type Source = (registers: FollowedRegisters) => number;

/** What an operand is worth; of memory nobody knows. */
export function sourceOf(iced: Iced, operand: number): Source {
  const kind = iced.opKind(operand);
  if (kind === OpKind.Register) return registerSource(iced.opRegister(operand));
  if (!IMMEDIATES.has(kind)) return () => Number.NaN;
  const value = lowest(Number(BigInt.asIntN(64, iced.immediate(operand))), sizeOf(iced, operand));
  return () => value;
}

function registerSource(register: Register): Source {
  const [number, size] = [generalRegister(register), registerSize(register)];
  const isUpper = register >= Register.AH && register <= Register.BH;
  if (number === NO_REGISTER || isUpper || register === Register.None) return () => Number.NaN;
  return ({ values }) => lowest(values[number]!, size);
}

const IMMEDIATES: ReadonlySet<OpKind> = new Set([
  ...[OpKind.Immediate8, OpKind.Immediate16, OpKind.Immediate32, OpKind.Immediate64],
  ...[OpKind.Immediate8to16, OpKind.Immediate8to32, OpKind.Immediate8to64],
  ...[OpKind.Immediate32to64],
]);

/** A constant is as wide as what it is used with. */
export function sizeOf(iced: Iced, operand: number): number {
  const kind = iced.opKind(operand);
  if (kind === OpKind.Register) return registerSize(iced.opRegister(operand));
  if (iced.op0Kind === OpKind.Register) return registerSize(iced.op0Register);
  return 8;
}
