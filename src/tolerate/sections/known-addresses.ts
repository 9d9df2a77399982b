/**
 * Which registers have an address that always is the same, at each instruction of a function: by going through
 * it until nothing new is learnt. Compilers put the address of a lock into a register before a loop, and use the
 * same register for something else after it:
 *
 *   lea rbx,[rip+0x2f42]      rbx is 0x40a0
 *   again: mov rdi,rbx        so is rdi
 *   call pthread_mutex_lock   rdi may be anything now, rbx is kept
 *   …; jne again
 *   lea rbx,[r13+0x28]        something else
 */
import { FlowControl, Mnemonic, OpKind } from 'iced-x86';
import { jumpedTo } from '../../binary/code/blocks.ts';
import { type FunctionCode, fallsThrough } from '../../binary/code/function-code.ts';
import {
  CALLER_SAVED,
  generalRegister,
  NO_REGISTER,
  type RegisterNumber,
} from '../../binary/code/general-registers.ts';
import { type Instruction, NOWHERE } from '../../binary/code/instruction.ts';

const REGISTERS = 16;
const UNKNOWN = -1;
/** Nobody has come by yet. */
const UNSEEN = -2;

/** undefined if it is not known, or not always the same. */
export type KnownAddresses = (place: number, register: RegisterNumber) => number | undefined;

const known = new WeakMap<FunctionCode, KnownAddresses>();

export function knownAddresses(code: FunctionCode): KnownAddresses {
  const found = known.get(code) ?? findAddresses(code);
  known.set(code, found);
  return found;
}

function findAddresses(code: FunctionCode): KnownAddresses {
  const { instructions, jumps } = code;
  const values = new Float64Array((instructions.length + 1) * REGISTERS).fill(UNSEEN);
  const waiting: number[] = [];
  const arrive = (place: number, from: Float64Array): void => {
    let isNew = false;
    for (let register = 0; register < REGISTERS; register++) {
      const at = place * REGISTERS + register;
      const joined =
        values[at] === UNSEEN || values[at] === from[register] ? from[register]! : UNKNOWN;
      if (joined !== values[at]) isNew = true;
      values[at] = joined;
    }
    if (isNew && place < instructions.length) waiting.push(place);
  };
  const nothing = new Float64Array(REGISTERS).fill(UNKNOWN);
  for (const place of entries(code)) arrive(place, nothing);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const after = values.slice(place * REGISTERS, (place + 1) * REGISTERS);
    apply(code, instructions[place]!, after);
    if (fallsThrough(instructions[place]!)) arrive(place + 1, after);
    if (jumps[place]! >= 0) arrive(jumps[place]!, after);
  }
  return (place, register) => {
    const value = values[place * REGISTERS + register]!;
    return value >= 0 ? value : undefined;
  };
}

/** The start, and where others than the function's own jumps may lead. */
function entries(code: FunctionCode): number[] {
  const pads = code.landingPads.flatMap((address) => code.places.get(address) ?? []);
  const hasSwitch = code.instructions.some(({ flow }) => flow === FlowControl.IndirectBranch);
  if (!hasSwitch) return [0, ...pads];
  // Cases of a switch come after what does not go on.
  const isTarget = jumpedTo(code);
  const cases = code.instructions.flatMap((instruction, place) =>
    !fallsThrough(instruction) && isTarget[place + 1] === 0 && place + 1 < isTarget.length
      ? [place + 1]
      : [],
  );
  return [0, ...pads, ...cases];
}

function apply(code: FunctionCode, instruction: Instruction, values: Float64Array): void {
  const { flow, writes, operands } = instruction;
  const isCall = flow === FlowControl.Call || flow === FlowControl.IndirectCall;
  const target = operands[0] ? generalRegister(operands[0].register) : NO_REGISTER;
  const value = target === NO_REGISTER ? UNKNOWN : valueGiven(code, instruction, values);
  const changed = isCall ? writes | CALLER_SAVED : writes;
  for (let register = 0; register < REGISTERS; register++) {
    if ((changed & (1 << register)) !== 0) values[register] = UNKNOWN;
  }
  if (target !== NO_REGISTER && (writes & (1 << target)) !== 0) values[target] = value;
}

/** What its first operand gets. */
function valueGiven(code: FunctionCode, instruction: Instruction, values: Float64Array): number {
  const { mnemonic, relativeOperand, operands, memory, increment } = instruction;
  const from = (register: RegisterNumber, plus: number): number =>
    register !== NO_REGISTER && values[register]! >= 0 ? values[register]! + plus : UNKNOWN;
  if (mnemonic === Mnemonic.Lea) {
    if (relativeOperand !== NOWHERE) return relativeOperand;
    const { addressBase, addressIndex, addressDisplacement } = instruction;
    return addressIndex === NO_REGISTER ? from(addressBase, addressDisplacement) : UNKNOWN;
  }
  if (increment !== 0) return from(generalRegister(operands[0]!.register), increment);
  if (mnemonic !== Mnemonic.Mov || memory.length > 0) return UNKNOWN;
  if (operands[1]?.kind === OpKind.Register) return from(generalRegister(operands[1].register), 0);
  return operands[1]?.kind === OpKind.Immediate32 ? immediate(code, instruction) : UNKNOWN;
}

/** `mov edi,0x404060`: where a program cannot be moved. */
function immediate(code: FunctionCode, { address, length }: Instruction): number {
  const at = address - code.start + length - 4;
  return new DataView(code.bytes.buffer, code.bytes.byteOffset).getUint32(at, true);
}
