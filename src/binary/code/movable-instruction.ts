/**
 * An instruction that can be run somewhere else, and then goes on where it would have: for a breakpoint that
 * threads get past without anybody taking it away meanwhile.
 *
 *   at 0x1040   mov eax,[rip+0x2f00]            a breakpoint stands here now
 *   at 0x9000   mov eax,[rip-0x50c0]            the same bytes of memory
 *               jmp 0x1046                      what comes after it
 *
 *   at 0x1040   call [rip+0x2f00]               has to leave its own return address, not one in the copy
 *   at 0x9000   push [rip+…]                    0x1046, which stands behind
 *               jmp [rip-0x50c6]
 *
 *   at 0x1040   call 0x1030                     the same, with a jump to there
 *
 * Jumps to a fixed place touch no data; nobody needs to stand there.
 */
import { FlowControl } from 'iced-x86';
import { err, ok, type Result } from '../../base/result.ts';
import { hex } from '../byte-reader.ts';
import { decodeFirst } from './decode.ts';
import { RSP } from './general-registers.ts';
import { type Instruction, NOWHERE } from './instruction.ts';

/** The longest instruction there is. */
export const LONGEST_INSTRUCTION = 15;

/** Who is found at `at` bytes into the copy stands at `address` in truth, with so much more on its stack. */
export interface PlaceInCopy {
  readonly at: number;
  readonly address: bigint;
  readonly pushed: number;
}

export interface MovedInstruction {
  readonly code: Uint8Array;
  readonly places: readonly PlaceInCopy[];
}

export interface MovableInstruction {
  readonly instruction: Instruction;
  readonly bytes: Uint8Array;
  /** The copy for a place; undefined if that is too far away. */
  copyFor(place: bigint): MovedInstruction | undefined;
}

/** `code`: what stands there, as far as it is known; the reason is for people. */
export function movableInstruction(
  code: Uint8Array,
  address: number,
): Result<MovableInstruction, string> {
  const decoded = decodeFirst(code.subarray(0, LONGEST_INSTRUCTION), address);
  if (!decoded.ok) return decoded;
  const instruction = decoded.value;
  const bytes = code.slice(0, instruction.length);
  switch (instruction.flow) {
    case FlowControl.Next:
    case FlowControl.Return:
    case FlowControl.IndirectBranch:
      return ok({ instruction, bytes, copyFor: (place) => plainCopy(instruction, bytes, place) });
    case FlowControl.Call:
      if (instruction.target !== NOWHERE) {
        return ok({ instruction, bytes, copyFor: (place) => directCall(instruction, place) });
      }
      break;
    case FlowControl.IndirectCall:
      if (instruction.memory.every(({ base, place }) => base !== RSP || place === 'pushed')) {
        return ok({ instruction, bytes, copyFor: (place) => callCopy(instruction, bytes, place) });
      }
  }
  return err(`the instruction at ${hex(address)} only works where it is`);
}

const JUMP = 0xe9;
const JUMP_LENGTH = 5;

function plainCopy(
  instruction: Instruction,
  bytes: Uint8Array,
  place: bigint,
): MovedInstruction | undefined {
  const { address, length } = instruction;
  const moved = movedBytes(instruction, bytes, place);
  const next = BigInt(address + length);
  const distance = next - (place + BigInt(length + JUMP_LENGTH));
  if (moved === undefined || !isNear(distance)) return undefined;
  const code = Buffer.alloc(length + JUMP_LENGTH);
  code.set(moved);
  code[length] = JUMP;
  code.writeInt32LE(Number(distance), length + 1);
  return {
    code,
    places: [
      { at: 0, address: BigInt(address), pushed: 0 },
      { at: length, address: next, pushed: 0 },
    ],
  };
}

/** `push qword ptr [rip+distance]` */
const PUSH = [0xff, 0x35];
const PUSH_LENGTH = 6;
/** In the byte after the opcode 0xff: call is 2, jmp is 4. */
const OPERATION_BITS = 0x38;
const JUMP_BITS = 0x20;

function callCopy(
  instruction: Instruction,
  bytes: Uint8Array,
  place: bigint,
): MovedInstruction | undefined {
  const jump = movedBytes(instruction, bytes, place + BigInt(PUSH_LENGTH));
  if (jump === undefined) return undefined;
  const operationAt = jump.indexOf(0xff) + 1;
  jump[operationAt] = (jump[operationAt]! & ~OPERATION_BITS) | JUMP_BITS;
  return pushAndJump(instruction, jump);
}

function directCall(instruction: Instruction, place: bigint): MovedInstruction | undefined {
  const distance = BigInt(instruction.target) - (place + BigInt(PUSH_LENGTH + JUMP_LENGTH));
  if (!isNear(distance)) return undefined;
  const jump = Buffer.alloc(JUMP_LENGTH);
  jump[0] = JUMP;
  jump.writeInt32LE(Number(distance), 1);
  return pushAndJump(instruction, jump);
}

function pushAndJump({ address, length }: Instruction, jump: Uint8Array): MovedInstruction {
  const code = Buffer.alloc(PUSH_LENGTH + jump.length + 8);
  code.set(PUSH);
  code.writeInt32LE(jump.length, PUSH.length);
  code.set(jump, PUSH_LENGTH);
  code.writeBigUInt64LE(BigInt(address + length), PUSH_LENGTH + jump.length);
  return {
    code,
    places: [
      { at: 0, address: BigInt(address), pushed: 0 },
      { at: PUSH_LENGTH, address: BigInt(address), pushed: 8 },
    ],
  };
}

/** What is given relative to the instruction is the same from there. */
function movedBytes(
  { address, relativeOperand, displacementAt }: Instruction,
  bytes: Uint8Array,
  place: bigint,
): Uint8Array | undefined {
  const moved = Buffer.from(bytes);
  if (relativeOperand === NOWHERE) return moved;
  const displacement = BigInt(moved.readInt32LE(displacementAt) + address) - place;
  if (!isNear(displacement)) return undefined;
  moved.writeInt32LE(Number(displacement), displacementAt);
  return moved;
}

const isNear = (distance: bigint): boolean => BigInt.asIntN(32, distance) === distance;
