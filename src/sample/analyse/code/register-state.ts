/**
 * How registers change from one instruction to the next, forwards and backwards, as far as that can be told
 * without knowing what is in memory.
 *
 *   forwards    mov rax,rbx     rax is what rbx is
 *               add rax,8       8 more
 *               pop rdx         nobody knows; but rsp is 8 more
 *   backwards   add rax,8       before it, rax was 8 less
 *               mov rax,rbx     before it, nobody knows what rax was; if rbx is not known later, it was this
 *               mov rax,[rbx]   before it, nobody knows what rax was
 *
 * Only whole registers count: what writes eax makes rax unknown.
 */
import { Mnemonic, OpKind } from 'iced-x86';
import {
  generalRegister,
  NO_REGISTER,
  RBP,
  type RegisterNumber,
  RSP,
  registerSize,
} from '../../../binary/code/general-registers.ts';
import { type Instruction, NOWHERE } from '../../../binary/code/instruction.ts';
import {
  type Expression,
  FS,
  GS,
  heldBy,
  IMAGE,
  NOTHING,
  plus,
  type RegisterState,
  registerAlone,
  sum,
} from './expression.ts';

const WORD = 8;

export function stateAfter(before: RegisterState, instruction: Instruction): RegisterState {
  const after = withoutWritten(before, instruction);
  const to = wholeRegister(instruction, 0);
  const { increment } = instruction;
  switch (instruction.mnemonic) {
    case Mnemonic.Push:
      after[RSP] = plus(before[RSP], -pushedSize(instruction));
      return after;
    case Mnemonic.Pop:
      if (to !== RSP) after[RSP] = plus(before[RSP], pushedSize(instruction));
      return after;
    case Mnemonic.Leave:
      after[RSP] = plus(before[RBP], WORD);
      return after;
    default:
      break;
  }
  if (to === NO_REGISTER) return after;
  if (increment !== 0) after[to] = plus(before[to], increment);
  else after[to] = assigned(before, instruction);
  return after;
}

function assigned(before: RegisterState, instruction: Instruction): Expression | undefined {
  const from = wholeRegister(instruction, 1);
  switch (instruction.mnemonic) {
    case Mnemonic.Mov:
      return from === NO_REGISTER ? undefined : before[from];
    case Mnemonic.Lea:
      return addressOf(before, instruction);
    case Mnemonic.Add:
      return from === NO_REGISTER
        ? undefined
        : sum(before[wholeRegister(instruction, 0)], before[from], 1);
    default:
      return undefined;
  }
}

/** Of `lea`. */
function addressOf(before: RegisterState, instruction: Instruction): Expression | undefined {
  const { relativeOperand, addressBase, addressIndex, addressDisplacement } = instruction;
  if (relativeOperand !== NOWHERE) return plus(registerAlone(IMAGE), relativeOperand);
  // The factor is not told, so that one is as good as none.
  if (addressIndex !== NO_REGISTER) return undefined;
  return plus(heldBy(before, addressBase), addressDisplacement);
}

export function stateBefore(after: RegisterState, instruction: Instruction): RegisterState {
  const before = withoutWritten(after, instruction);
  const to = wholeRegister(instruction, 0);
  const { increment, mnemonic } = instruction;
  switch (mnemonic) {
    case Mnemonic.Push:
      before[RSP] = plus(after[RSP], pushedSize(instruction));
      return before;
    case Mnemonic.Pop:
      if (to !== RSP) before[RSP] = plus(after[RSP], -pushedSize(instruction));
      return before;
    case Mnemonic.Leave:
      // It was below the frame: how far is not known.
      before[RBP] = plus(after[RSP], -WORD);
      return before;
    default:
      break;
  }
  if (to === NO_REGISTER) return before;
  if (increment !== 0) before[to] = plus(after[to], -increment);
  else learnSource(before, after[to], instruction);
  return before;
}

/** What was copied from a register that is not known any more is still known in the copy. */
function learnSource(
  before: (Expression | undefined)[],
  copy: Expression | undefined,
  instruction: Instruction,
): void {
  const { mnemonic, addressBase, addressIndex, addressDisplacement, relativeOperand } = instruction;
  if (mnemonic === Mnemonic.Mov) {
    const from = wholeRegister(instruction, 1);
    if (from !== NO_REGISTER) before[from] ??= copy;
  } else if (mnemonic === Mnemonic.Lea) {
    const isCopy =
      addressBase !== NO_REGISTER && addressIndex === NO_REGISTER && relativeOperand === NOWHERE;
    if (isCopy) before[addressBase] ??= plus(copy, -addressDisplacement);
  }
}

function withoutWritten(state: RegisterState, { writes }: Instruction): (Expression | undefined)[] {
  const rest = [...state];
  for (let left = writes; left !== 0; left &= left - 1) {
    rest[31 - Math.clz32(left & -left)] = undefined;
  }
  return rest;
}

/** Of 64 bits; NO_REGISTER for all other operands. */
function wholeRegister({ operands }: Instruction, number: number): RegisterNumber {
  const operand = operands[number];
  if (operand?.kind !== OpKind.Register || registerSize(operand.register) !== WORD) {
    return NO_REGISTER;
  }
  return generalRegister(operand.register);
}

const pushedSize = ({ memory }: Instruction): number =>
  memory.find(({ place }) => place === 'pushed')?.size ?? Number.NaN;

/** The address of what an instruction touches; undefined if it cannot be told. */
export function operandAddress(
  state: RegisterState,
  { relativeOperand }: Instruction,
  operand: Instruction['memory'][number],
): Expression | undefined {
  const { base, index, scale, displacement, place } = operand;
  if (relativeOperand !== NOWHERE && base === NO_REGISTER) {
    return plus(registerAlone(IMAGE), relativeOperand);
  }
  const address = plus(
    index === NO_REGISTER ? heldBy(state, base) : sum(heldBy(state, base), state[index], scale),
    displacement,
  );
  if (place === 'memory' || address === undefined) return address;
  return segmentAddress(place === 'fs' ? registerAlone(FS) : registerAlone(GS), address);
}

const segmentAddress = (segment: Expression, address: Expression): Expression | undefined =>
  address.base === NOTHING && address.index === NOTHING
    ? plus(segment, address.constant)
    : address.index === NOTHING
      ? sum(segment, address, 1)
      : undefined;
