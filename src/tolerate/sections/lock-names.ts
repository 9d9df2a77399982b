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
import type { Instruction } from '../../binary/code/instruction.ts';
import { knownAddresses } from './known-addresses.ts';

export interface NamedLock {
  readonly name: string;
  readonly address: number | undefined;
}

/** How far back, in straight code, the argument is followed. */
const LONGEST_LOOK_BACK = 32;

export function lockArgument(code: FunctionCode, place: number): NamedLock {
  const address = knownAddresses(code)(place, RDI);
  if (address !== undefined) return { name: `0x${address.toString(16)}`, address };
  return { name: nameByPointer(code, place, RDI, 0), address: undefined };
}

function nameByPointer(
  code: FunctionCode,
  from: number,
  register: RegisterNumber,
  offset: number,
): string {
  const { instructions, start } = code;
  const first = Math.max(0, from - LONGEST_LOOK_BACK);
  for (let place = from - 1; place >= first; place--) {
    const instruction = instructions[place]!;
    if ((instruction.writes & (1 << register)) === 0) continue;
    const source = copiedFrom(instruction);
    if (source === undefined) break;
    return nameByPointer(code, place, source.register, offset + source.offset);
  }
  return `~${register}+${offset}@0x${start.toString(16)}`;
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
