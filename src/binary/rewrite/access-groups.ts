/**
 * Says what a clone logs, and where. Accesses of one basic block whose addresses hang on registers that do
 * not change in between are logged together, before the first of them: one *group*, with the registers'
 * values taken once.
 *
 *   mov rax,[rbx+8]          a group of three accesses, two values (rbx, rcx+rdx*8),
 *   mov [rcx+rdx*8],rax      logged before the first instruction
 *   add dword [rbx+16],1
 *   mov rbx,[rbx]            here rbx is read once more, then changes; what comes later starts a new group
 *
 * A record in the thread's buffer is the group's number and the values; what the accesses are is known
 * from the number (group-table.ts).
 */
import { blockStarts } from '../code/blocks.ts';
import type { FunctionCode } from '../code/function-code.ts';
import {
  NO_REGISTER,
  RCX,
  type RegisterNumber,
  type RegisterSet,
  registerCount,
} from '../code/general-registers.ts';
import { type Instruction, type MemoryOperand, NOWHERE } from '../code/instruction.ts';
import type { StackFrame } from '../code/stack-frame.ts';
import type { LoopEntry, LoopExit } from './loop-group.ts';

/** A sum of registers: `base + index * scale`. */
export interface LoggedValue {
  readonly base: RegisterNumber;
  readonly index: RegisterNumber;
  readonly scale: number;
}

export interface LoggedAccess {
  /** Of the instruction. */
  readonly address: number;
  /** Which value of the group to add `displacement` to; -1: to none but where the image lies. */
  readonly value: number;
  readonly displacement: number;
  readonly size: number;
  readonly isRead: boolean;
  readonly isWritten: boolean;
  /** Which value is the number of elements, if that many are touched; -1: one. */
  readonly count: number;
}

export interface AccessGroup {
  /** The place of the instruction before which it is logged. */
  readonly start: number;
  readonly values: readonly LoggedValue[];
  readonly accesses: readonly LoggedAccess[];
  /** Its one access gets a number in the order of all synchronisation. */
  readonly isOrdered: boolean;
  /** If it is logged on the way into a loop, or out of it. */
  readonly loop?: LoopEntry | LoopExit;
}

export interface NumberedGroup extends AccessGroup {
  readonly number: number;
}

/** A record must fit displacements of eight bits: (1 + 12) * 8 < 128. */
export const MOST_VALUES = 12;
export const MOST_ACCESSES = 64;
/** What logs it needs up to three for itself. */
export const MOST_REGISTERS = 12;

export interface GroupingContext {
  readonly frame: StackFrame;
  readonly flags: Uint8Array;
  /** Where computed jumps may lead, as far as known. */
  readonly jumpTargets: Iterable<number>;
  /** Plain accesses that are to be ordered like atomic ones: see atomic-sites.ts. */
  readonly isOrdered: (instruction: Instruction) => boolean;
}

interface OpenGroup {
  readonly start: number;
  readonly values: LoggedValue[];
  readonly accesses: LoggedAccess[];
  readonly isOrdered: boolean;
  /** Registers that have changed since. */
  changed: RegisterSet;
  /** Registers that its values are made of. */
  used: RegisterSet;
}

/** @param isHoisted for each instruction, whether it is part of a loop that tells its accesses as a whole. */
export function accessGroups(
  code: FunctionCode,
  context: GroupingContext,
  isHoisted: Uint8Array,
): AccessGroup[] {
  const starts = blockStarts(code, context.jumpTargets);
  const groups: AccessGroup[] = [];
  let open: OpenGroup | undefined;
  let blockStart = 0;
  const { instructions } = code;
  for (let place = 0; place < instructions.length; place++) {
    const instruction = instructions[place]!;
    if (starts[place]) {
      open = undefined;
      blockStart = place;
    }
    if (isHoisted[place]) continue;
    const operands = loggedOperands(instruction, context);
    const isAlone = operands.length > 0 && standsAlone(instruction, context);
    if (isAlone) open = undefined;
    for (const operand of operands) {
      const isCounted = instruction.repetition === 'counted';
      const needed = registersOf(operand) | (isCounted ? 1 << RCX : 0);
      if (!open || (open.changed & needed) !== 0 || isFull(open, needed)) {
        const { start, changed } = earliest(
          code,
          place,
          needed,
          isAlone ? place : blockStart,
          context.flags,
        );
        const isOrdered = isAlone && instruction.repetition === 'none';
        open = { start, values: [], accesses: [], isOrdered, changed, used: 0 };
        groups.push(open);
      }
      open.used |= needed;
      open.accesses.push(loggedAccess(instruction, operand, open.values));
    }
    if (isAlone) {
      open = undefined;
      // What follows must not be logged before an atomic access is: it may come after what that acquires.
      blockStart = place + 1;
    }
    if (open) open.changed |= instruction.writes;
  }
  return groups;
}

const isFull = ({ values, accesses, used }: OpenGroup, needed: RegisterSet): boolean =>
  // An access may need two: an address, and a count.
  values.length + 2 > MOST_VALUES ||
  accesses.length >= MOST_ACCESSES ||
  registerCount(used | needed) > MOST_REGISTERS;

/** Whether what it touches is told by itself, at its place. */
export function standsAlone(instruction: Instruction, { isOrdered }: GroupingContext): boolean {
  return instruction.repetition !== 'none' || instruction.isAtomic || isOrdered(instruction);
}

const NO_OPERANDS: readonly MemoryOperand[] = [];

export function loggedOperands(
  instruction: Instruction,
  { frame }: GroupingContext,
): readonly MemoryOperand[] {
  const { memory } = instruction;
  // Most have none, or one, and no list is made for them.
  const isLogged = (operand: MemoryOperand): boolean =>
    operand.place === 'memory' && operand.size > 0 && !frame.isPrivate(instruction, operand);
  if (memory.length === 0) return memory;
  if (memory.length === 1) return isLogged(memory[0]!) ? memory : NO_OPERANDS;
  return memory.filter(isLogged);
}

export function registersOf({ base, index }: Pick<LoggedValue, 'base' | 'index'>): RegisterSet {
  return (base === NO_REGISTER ? 0 : 1 << base) | (index === NO_REGISTER ? 0 : 1 << index);
}

/**
 * Where to log it. Logging ends in a comparison, so it is cheapest where nobody needs the flags: perhaps a
 * few instructions earlier, if these leave the registers alone.
 */
function earliest(
  { instructions }: FunctionCode,
  place: number,
  needed: RegisterSet,
  blockStart: number,
  flags: Uint8Array,
): Pick<OpenGroup, 'start' | 'changed'> {
  let changed = 0;
  for (let start = place; ; start--) {
    if (!flags[start]) return { start, changed };
    if (start === blockStart) break;
    changed |= instructions[start - 1]!.writes;
    if ((changed & needed) !== 0) break;
  }
  return { start: place, changed: 0 };
}

export function loggedAccess(
  instruction: Instruction,
  operand: MemoryOperand,
  values: LoggedValue[],
): LoggedAccess {
  const { base, index, scale, size, isRead, isWritten } = operand;
  const isFixed = base === NO_REGISTER && index === NO_REGISTER;
  const { relativeOperand } = instruction;
  return {
    address: instruction.address,
    value: isFixed ? -1 : valueNumber(values, { base, index, scale: index < 0 ? 1 : scale }),
    displacement: isFixed && relativeOperand !== NOWHERE ? relativeOperand : operand.displacement,
    size,
    isRead,
    isWritten,
    count:
      instruction.repetition === 'counted'
        ? valueNumber(values, { base: RCX, index: NO_REGISTER, scale: 1 })
        : -1,
  };
}

export function valueNumber(values: LoggedValue[], wanted: LoggedValue): number {
  const known = values.findIndex(
    ({ base, index, scale }) =>
      base === wanted.base && index === wanted.index && scale === wanted.scale,
  );
  return known >= 0 ? known : values.push(wanted) - 1;
}
