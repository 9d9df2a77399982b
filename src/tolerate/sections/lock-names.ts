/**
 * Which lock a call is about, by how its first argument came to be in rdi:
 *
 *   lea rdi,[rip+0x2f00]; call pthread_mutex_lock      0x4060: always the same
 *   lea rdi,[rbx+8]; call pthread_mutex_lock           ~rbx+8@0x1139: the one that rbx points to, in this function
 *
 * A name of the second kind tells locks from each other only as well as registers do.
 */
import { Mnemonic, OpKind } from 'iced-x86';
import type { FunctionCode } from '../../binary/code/function-code.ts';
import {
  generalRegister,
  NO_REGISTER,
  RDI,
  type RegisterNumber,
  RSP,
} from '../../binary/code/general-registers.ts';
import { type Instruction, NOWHERE } from '../../binary/code/instruction.ts';

export interface NamedLock {
  readonly name: string;
  readonly address: number | undefined;
}

/** How far back, in straight code, the argument is followed. */
const LONGEST_LOOK_BACK = 32;

export function lockArgument(code: FunctionCode, place: number): NamedLock {
  return follow(code, place, RDI, 0);
}

const fixed = (address: number): NamedLock => ({ name: `0x${address.toString(16)}`, address });

function follow(
  code: FunctionCode,
  from: number,
  register: RegisterNumber,
  offset: number,
): NamedLock {
  const { instructions, start } = code;
  const byPointer = { name: `~${register}+${offset}@0x${start.toString(16)}`, address: undefined };
  const first = Math.max(0, from - LONGEST_LOOK_BACK);
  for (let place = from - 1; place >= first; place--) {
    const instruction = instructions[place]!;
    if ((instruction.writes & (1 << register)) === 0) continue;
    const address = constantIn(code, instruction);
    if (address !== undefined) return fixed(address + offset);
    const source = copiedFrom(instruction);
    if (source === undefined) break;
    return follow(code, place, source.register, offset + source.offset);
  }
  const only = onlyConstant(code, register);
  return only === undefined ? byPointer : fixed(only + offset);
}

/** `lea rdi,[rip+lock]`, `mov edi,0x404060`. */
function constantIn(code: FunctionCode, instruction: Instruction): number | undefined {
  const { mnemonic, relativeOperand, operands, address, length, memory } = instruction;
  if (mnemonic === Mnemonic.Lea && relativeOperand !== NOWHERE) return relativeOperand;
  const isImmediate =
    mnemonic === Mnemonic.Mov && memory.length === 0 && operands[1]?.kind === OpKind.Immediate32;
  if (!isImmediate) return undefined;
  const at = address - code.start + length - 4;
  return new DataView(code.bytes.buffer, code.bytes.byteOffset).getUint32(at, true);
}

function copiedFrom(
  instruction: Instruction,
): { register: RegisterNumber; offset: number } | undefined {
  const { mnemonic, operands, addressBase, addressIndex, addressDisplacement } = instruction;
  if (mnemonic === Mnemonic.Mov && operands[1]?.kind === OpKind.Register) {
    const register = generalRegister(operands[1].register);
    return register === NO_REGISTER || register === RSP ? undefined : { register, offset: 0 };
  }
  const isLea = mnemonic === Mnemonic.Lea && addressIndex === NO_REGISTER;
  return isLea && addressBase !== NO_REGISTER
    ? { register: addressBase, offset: addressDisplacement }
    : undefined;
}

/** A register that keeps the lock's address all along, before a loop, say: all that is ever put into it. */
function onlyConstant(code: FunctionCode, register: RegisterNumber): number | undefined {
  let only: number | undefined;
  for (const instruction of code.instructions) {
    const { writes, mnemonic } = instruction;
    if ((writes & (1 << register)) === 0 || mnemonic === Mnemonic.Pop) continue;
    const address = constantIn(code, instruction);
    if (address === undefined || (only !== undefined && only !== address)) return undefined;
    only = address;
  }
  return only;
}
