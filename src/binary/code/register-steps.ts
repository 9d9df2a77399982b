/**
 * How registers change from one iteration of a loop to the next, where that is the same each time:
 *
 *   add rax,8        8 more
 *   add rdx,rcx      what is in rcx more, if rcx stays as it is
 *   mov rbx,[rbx]    nobody knows
 */
import { Mnemonic, OpKind } from 'iced-x86';
import {
  generalRegister,
  NO_REGISTER,
  type RegisterNumber,
  registerSize,
} from './general-registers.ts';
import type { Instruction } from './instruction.ts';

/** What is added: a constant, and what is in a register. */
export interface Step {
  readonly constant: number;
  readonly register: RegisterNumber;
}

export const NO_STEP: Step = { constant: 0, register: NO_REGISTER };

/** For each register; undefined: nobody knows. `body`: what runs in each iteration, one after the other. */
export function registerSteps(body: readonly Instruction[]): (Step | undefined)[] {
  const steps = body.reduce(afterInstruction, startOfIteration());
  return steps.map((step) =>
    step && step.register !== NO_REGISTER && steps[step.register] !== NO_STEP ? undefined : step,
  );
}

const REGISTERS = 16;

/** What has been added to each register so far: see `afterInstruction`. */
export const startOfIteration = (): (Step | undefined)[] =>
  new Array<Step | undefined>(REGISTERS).fill(NO_STEP);

export function afterInstruction(
  before: readonly (Step | undefined)[],
  instruction: Instruction,
): (Step | undefined)[] {
  const after = [...before];
  for (let rest = instruction.writes; rest !== 0; rest &= rest - 1) {
    const register = 31 - Math.clz32(rest & -rest);
    after[register] = sum(before[register], stepOf(instruction));
  }
  return after;
}

function stepOf({ mnemonic, operands, increment }: Instruction): Step | undefined {
  if (increment !== 0) return { constant: increment, register: NO_REGISTER };
  const [to, from] = operands;
  const isSum =
    mnemonic === Mnemonic.Add && to?.kind === OpKind.Register && from?.kind === OpKind.Register;
  if (!isSum || registerSize(to.register) !== 8) return undefined;
  return { constant: 0, register: generalRegister(from.register) };
}

function sum(one: Step | undefined, other: Step | undefined): Step | undefined {
  if (one === undefined || other === undefined) return undefined;
  const isSingle = one.register === NO_REGISTER || other.register === NO_REGISTER;
  if (!isSingle) return undefined;
  return {
    constant: one.constant + other.constant,
    register: one.register === NO_REGISTER ? other.register : one.register,
  };
}
