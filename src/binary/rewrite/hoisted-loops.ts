/**
 * Loops that log nothing in their iterations. Where each address moves by the same amount in each iteration,
 * it is enough to know where they begin, how far they move, and how often:
 *
 *   again: movsd xmm0,[rax]        on the way in: rax, rdx and rcx
 *          mulsd xmm0,[rdx]
 *          add   rax,8
 *          add   rdx,rcx
 *          addsd xmm1,xmm0
 *          cmp   rax,rsi
 *          jne   again             on the way out: rax once more, which has moved 8 bytes in each iteration
 *
 * Such a loop has a group for the way in, with all its accesses, and one for each way out. What is told on the
 * way out: a register that moves by a constant, the *counter*; the group knows how much of the last iteration
 * was done by then. Both tell the stack pointer: a signal handler may have been through the same loop between the
 * two, and what belongs together has the same one (agent/loops.c).
 *
 * A loop is left as it is if one of its addresses is not known in this way, if it has anything that gets a place
 * in the order, or if it may be waiting for something: it loads from a place that stays the same.
 */
import { FlowControl, Mnemonic, OpKind } from 'iced-x86';
import type { FunctionCode } from '../code/function-code.ts';
import {
  generalRegister,
  NO_REGISTER,
  type RegisterNumber,
  RSP,
  registerCount,
} from '../code/general-registers.ts';
import type { Instruction, MemoryOperand } from '../code/instruction.ts';
import {
  afterInstruction,
  NO_STEP,
  registerSteps,
  type Step,
  startOfIteration,
} from '../code/register-steps.ts';
import type { StraightLoop } from '../code/straight-loops.ts';
import {
  type AccessGroup,
  type GroupingContext,
  type LoggedAccess,
  type LoggedValue,
  loggedAccess,
  loggedOperands,
  MOST_ACCESSES,
  MOST_REGISTERS,
  MOST_VALUES,
  registersOf,
  standsAlone,
  valueNumber,
} from './access-groups.ts';

export interface HoistedLoop extends StraightLoop {
  readonly entry: AccessGroup;
  readonly exits: readonly HoistedExit[];
}

export interface HoistedExit {
  /** Of the jump. */
  readonly place: number;
  /** Where it goes on: where the jump leads, or after it. */
  readonly isJump: boolean;
  readonly group: AccessGroup;
}

/** The state of a walk through one iteration. */
interface Leaving {
  readonly place: number;
  readonly done: number;
  readonly moved: readonly (Step | undefined)[];
}

export function hoistedLoop(
  code: FunctionCode,
  loop: StraightLoop,
  context: GroupingContext,
): HoistedLoop | undefined {
  const body = code.instructions.slice(loop.start, loop.end + 1);
  if (body.some(({ mnemonic }) => mnemonic === Mnemonic.Pause)) return undefined;
  const steps = registerSteps(body);
  // Its stack pointer is what it is known by; and where it is left, the same unwinding must be right.
  if (steps[RSP] !== NO_STEP) return undefined;
  const values: LoggedValue[] = [];
  const accesses: LoggedAccess[] = [];
  const leavings: Leaving[] = [];
  let moved = startOfIteration();
  for (const [number, instruction] of body.entries()) {
    const operands = loggedOperands(instruction, context);
    if (operands.length > 0 && standsAlone(instruction, context)) return undefined;
    for (const operand of operands) {
      const known = atStart(operand, steps, moved);
      if (!known || mayWait(instruction, operand, steps)) return undefined;
      accesses.push(loggedAccess(instruction, known, values));
    }
    moved = afterInstruction(moved, instruction);
    if (instruction.flow === FlowControl.ConditionalBranch) {
      leavings.push({ place: loop.start + number, done: accesses.length, moved });
    }
  }
  if (accesses.length === 0 || accesses.length > MOST_ACCESSES) return undefined;
  return withGroups(loop, { values, accesses, leavings, steps });
}

interface Walked {
  readonly values: LoggedValue[];
  readonly accesses: readonly LoggedAccess[];
  readonly leavings: readonly Leaving[];
  readonly steps: readonly (Step | undefined)[];
}

function withGroups(
  { start, end }: StraightLoop,
  { values, accesses, leavings, steps }: Walked,
): HoistedLoop | undefined {
  const counter = counterOf(values, steps);
  const [first] = leavings;
  if (counter === undefined || first === undefined) return undefined;
  const stepValues = values.map((value) => stepOf(value, steps));
  const stepNumbers: number[] = [];
  for (const step of stepValues) {
    if (step === undefined) return undefined;
    stepNumbers.push(step.value === undefined ? -1 : valueNumber(values, step.value));
  }
  const counterValue = valueNumber(values, alone(counter));
  const stack = valueNumber(values, alone(RSP));
  if (!fits(values)) return undefined;
  // Those that were added last stay as they are, or are the counter.
  const valueSteps = values.map((value, number) => ({
    constant: (stepValues[number] ?? stepOf(value, steps))?.constant ?? 0,
    value: stepNumbers[number] ?? -1,
  }));
  const counterStep = steps[counter]!.constant;
  const group = { start, isOrdered: false };
  return {
    start,
    end,
    entry: {
      ...{ ...group, values, accesses },
      loop: {
        ...{ kind: 'entry', steps: valueSteps, counter: counterValue, counterStep, stack },
        certain: first.done,
      },
    },
    exits: leavings.map(({ place, done, moved }, number) => ({
      place,
      isJump: place !== end,
      group: {
        ...group,
        values: [alone(counter), alone(RSP)],
        accesses: [],
        loop: { kind: 'exit', distance: number + 1, done, counted: moved[counter]!.constant },
      },
    })),
  };
}

const alone = (base: RegisterNumber): LoggedValue => ({ base, index: NO_REGISTER, scale: 1 });

function fits(values: readonly LoggedValue[]): boolean {
  const used = values.reduce((set, value) => set | registersOf(value), 0);
  return values.length <= MOST_VALUES && registerCount(used) <= MOST_REGISTERS;
}

const LARGEST_DISPLACEMENT = 2 ** 31;

/**
 * An operand as it is when the iteration begins. What has moved by a constant since then, `[rax]` after `add
 * rax,8`, is that much further: `[rax+8]`; after `add rax,rcx` it is `[rax+rcx]`, if that can be said.
 */
function atStart(
  operand: MemoryOperand,
  steps: readonly (Step | undefined)[],
  moved: readonly (Step | undefined)[],
): MemoryOperand | undefined {
  const { base, index, scale } = operand;
  const [baseMoved, indexMoved] = [base, index].map((register) => ofRegister(moved, register));
  const isKnown = ofRegister(steps, base) && ofRegister(steps, index);
  if (!isKnown || !baseMoved || !indexMoved || indexMoved.register !== NO_REGISTER) {
    return undefined;
  }
  const distance = baseMoved.constant + indexMoved.constant * scale;
  const displacement = operand.displacement + distance;
  // The whole address of one without registers is not given in 32 bits.
  if (distance !== 0 && Math.abs(displacement) >= LARGEST_DISPLACEMENT) return undefined;
  const { register } = baseMoved;
  if (register === NO_REGISTER) return { ...operand, displacement };
  const isSayable = index === NO_REGISTER && register !== RSP;
  return isSayable ? { ...operand, displacement, index: register, scale: 1 } : undefined;
}

const ofRegister = (
  steps: readonly (Step | undefined)[],
  register: RegisterNumber,
): Step | undefined => (register === NO_REGISTER ? NO_STEP : steps[register]);

interface RegisterStep {
  readonly constant: number;
  readonly value: LoggedValue | undefined;
}

/** How far a sum of registers moves. */
function stepOf(
  { base, index, scale }: Pick<LoggedValue, 'base' | 'index' | 'scale'>,
  steps: readonly (Step | undefined)[],
): RegisterStep | undefined {
  const [ofBase, ofIndex] = [ofRegister(steps, base), ofRegister(steps, index)];
  if (!ofBase || !ofIndex || ofIndex.register === RSP) return undefined;
  const constant = ofBase.constant + ofIndex.constant * scale;
  if (Math.abs(constant) >= LARGEST_DISPLACEMENT) return undefined;
  const isPlain = ofIndex.register === NO_REGISTER;
  if (isPlain && ofBase.register === NO_REGISTER) return { constant, value: undefined };
  const value = { base: ofBase.register, index: ofIndex.register, scale: isPlain ? 1 : scale };
  return { constant, value };
}

/** Whether a thread may be waiting for what this loads, from the same place again and again. */
function mayWait(
  { operands, replacesFlags }: Instruction,
  operand: MemoryOperand,
  steps: readonly (Step | undefined)[],
): boolean {
  const step = stepOf(operand, steps);
  const stays = step?.constant === 0 && step.value === undefined;
  if (!stays || operand.isWritten) return false;
  const [to] = operands;
  const isVector =
    to?.kind === OpKind.Register && generalRegister(to.register) === NO_REGISTER && !replacesFlags;
  return !isVector;
}

/** A register that moves by a constant: one that is told anyway, if there is any. */
function counterOf(
  values: readonly LoggedValue[],
  steps: readonly (Step | undefined)[],
): RegisterNumber | undefined {
  const counts = (register: RegisterNumber): boolean => {
    const step = steps[register];
    const isConstant = step?.register === NO_REGISTER && step.constant !== 0;
    return isConstant && Math.abs(step.constant) < LARGEST_DISPLACEMENT;
  };
  const told = values.find(({ base, index }) => index === NO_REGISTER && counts(base));
  if (told) return told.base;
  const any = steps.findIndex((_, register) => counts(register));
  return any < 0 ? undefined : any;
}
