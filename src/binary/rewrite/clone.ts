/**
 * Copies a function, instruction by instruction, into the blob. Bytes are copied as they are, with three
 * exceptions: what points somewhere relative to itself points there from its new place; jumps and calls lead
 * to clones, where there are any, and take 32 bits, since the distance may have grown; and a computed jump,
 * which has an address of the original in hand, asks the agent for the clone's.
 *
 * All else in the original stays intact, so that code which has no clone, or finds its way back, still runs.
 */
import { FlowControl, OpKind } from 'iced-x86';
import { isTailCall } from '../code/computed-jumps.ts';
import type { FunctionCode } from '../code/function-code.ts';
import { fallsThrough } from '../code/function-code.ts';
import { generalRegister, RAX, type RegisterSet } from '../code/general-registers.ts';
import { type Instruction, NOWHERE } from '../code/instruction.ts';
import type { NumberedGroup } from './access-groups.ts';
import { callAgent, jump, jumpThread, loadThread, storeThread } from './assembly.ts';
import type { CodeBuffer } from './code-buffer.ts';
import { emitFullPath, emitLogging, type FullPath } from './logging-code.ts';
import { LoopCode, type NumberedLoop, type Refer } from './loop-code.ts';

/** 32 bits that have to point to a clone, or to the original if there is none. */
export interface OpenReference {
  readonly at: number;
  readonly target: number;
}

export interface Clone {
  readonly code: FunctionCode;
  /** In the blob. */
  readonly start: number;
  readonly end: number;
  /** Where each instruction went, with what is logged before it; relative to the blob. */
  readonly places: Uint32Array;
}

/** What is logged in the clone; nothing in a null clone. */
export interface CloneLogging {
  /** Those of ways out of loops are logged there (loop-code.ts). */
  readonly groups: readonly NumberedGroup[];
  readonly loops: readonly NumberedLoop[];
  readonly aliveRegisters: Uint16Array;
  readonly aliveFlags: Uint8Array;
}

export function emitClone(
  to: CodeBuffer,
  code: FunctionCode,
  isCallerSensitive: (instruction: Instruction) => boolean,
  logging: CloneLogging | undefined,
  references: OpenReference[],
): Clone {
  to.align(16, INT3);
  const start = to.length;
  const { instructions } = code;
  const places = new Uint32Array(instructions.length + 1);
  const fullPaths: FullPath[] = [];
  const groups = groupsByStart(logging?.groups ?? []);
  const loops = logging && logging.loops.length > 0 ? new LoopCode(to, code, logging) : undefined;
  const refer: Refer = (at, target) => references.push({ at, target });
  for (let place = 0; place < instructions.length; place++) {
    places[place] = to.length;
    const here = groups.get(place) ?? [];
    for (const group of here) {
      const alive: RegisterSet = logging!.aliveRegisters[place]!;
      fullPaths.push(emitLogging(to, group, group.number, alive, logging!.aliveFlags[place] === 1));
    }
    loops?.before(place);
    const isOrdered = here.some((group) => group.isOrdered);
    // `call [pointer]` goes elsewhere: what it reads is told just before, since nobody may be kept waiting.
    const goesOn = instructions[place]!.flow === FlowControl.Next;
    if (isOrdered) callAgent(to, 'orderedBegin');
    if (isOrdered && !goesOn) callAgent(to, 'orderedEnd');
    if (isCallerSensitive(instructions[place]!)) emitWayBack(to, instructions[place]!);
    else emitInstruction(to, code, place, loops?.referOf(place) ?? refer);
    if (isOrdered && goesOn) callAgent(to, 'orderedEnd');
    loops?.after(place, references, fullPaths);
  }
  places[instructions.length] = to.length;
  const last = instructions.at(-1);
  if (last && fallsThrough(last)) references.push({ at: jump(to), target: code.end });
  for (const path of fullPaths) emitFullPath(to, path);
  return { code, start, end: to.length, places };
}

const INT3 = 0xcc;

/** The rest of the function runs in the original. */
function emitWayBack(to: CodeBuffer, { address }: Instruction): void {
  const at = jump(to);
  to.pointTo(address, at);
}

function groupsByStart(groups: readonly NumberedGroup[]): Map<number, NumberedGroup[]> {
  const byStart = new Map<number, NumberedGroup[]>();
  for (const group of groups) {
    const others = byStart.get(group.start);
    if (others) others.push(group);
    else byStart.set(group.start, [group]);
  }
  return byStart;
}

function emitInstruction(to: CodeBuffer, code: FunctionCode, place: number, refer: Refer): void {
  const instruction = code.instructions[place]!;
  const from = instruction.address - code.start;
  const bytes = code.bytes.subarray(from, from + instruction.length);
  if (instruction.target !== NOWHERE) emitDirect(to, instruction, bytes, refer);
  else if (instruction.flow === FlowControl.IndirectBranch && !isTailCall(code, place)) {
    emitComputedJump(to, instruction, bytes);
  } else emitCopy(to, instruction, bytes);
}

/** The same bytes; what points somewhere relative to itself points there from here. */
export function emitCopy(to: CodeBuffer, instruction: Instruction, bytes: Uint8Array): void {
  const at = to.length;
  to.copy(bytes);
  const { relativeOperand, displacementAt } = instruction;
  if (relativeOperand !== NOWHERE) to.pointTo(relativeOperand, at + displacementAt, to.length);
}

/** Segment overrides that are hints to a branch, notrack and bnd, and an operand size without effect. */
const BRANCH_PREFIXES: ReadonlySet<number> = new Set([0x2e, 0x3e, 0xf2, 0x66]);

function emitDirect(
  to: CodeBuffer,
  { flow, target }: Instruction,
  bytes: Uint8Array,
  refer: Refer,
): void {
  if (flow === FlowControl.Call) to.bytes(0xe8);
  else if (flow === FlowControl.UnconditionalBranch) to.bytes(0xe9);
  else emitCondition(to, bytes);
  to.i32(0);
  refer(to.length - 4, target);
}

/** All of a conditional jump but its 32 bits. */
export function emitCondition(to: CodeBuffer, bytes: Uint8Array): void {
  const opcodeAt = bytes.findIndex((byte) => !BRANCH_PREFIXES.has(byte));
  const opcode = bytes[opcodeAt]!;
  if (opcode === 0x0f) to.bytes(0x0f, bytes[opcodeAt + 1]!);
  else if (opcode >= 0x70 && opcode <= 0x7f) to.bytes(0x0f, opcode + 0x10);
  else {
    // jrcxz and loop have no long form: they go over a jump, or to it.
    to.copy(bytes, 0, bytes.length - 1);
    to.bytes(2, 0xeb, 5, 0xe9);
  }
}

const JUMP_MEMORY = 0xff;
const MOV_FROM_MEMORY = 0x8b;
const LEGACY_PREFIXES: ReadonlySet<number> = new Set([0x2e, 0x3e, 0x36, 0x26, 0xf2, 0xf3, 0x66]);

/** The target goes to the thread's state; the agent puts the clone's there instead. */
function emitComputedJump(to: CodeBuffer, instruction: Instruction, bytes: Uint8Array): void {
  const [operand] = instruction.operands;
  const isInThread = instruction.memory.some(({ place }) => place === 'fs' || place === 'gs');
  if (isInThread) return emitCopy(to, instruction, bytes);
  if (operand!.kind === OpKind.Register) {
    storeThread(to, generalRegister(operand!.register), 'target');
  } else {
    storeThread(to, RAX, 'spill0');
    emitLoadOfOperand(to, instruction, bytes);
    storeThread(to, RAX, 'target');
    loadThread(to, RAX, 'spill0');
  }
  callAgent(to, 'translate');
  jumpThread(to, 'target');
}

/** `jmp [rdx+rax*8]` becomes `mov rax,[rdx+rax*8]`: another opcode with the same operand. */
function emitLoadOfOperand(to: CodeBuffer, instruction: Instruction, bytes: Uint8Array): void {
  let at = 0;
  while (LEGACY_PREFIXES.has(bytes[at]!)) at++;
  const hasRex = (bytes[at]! & 0xf0) === 0x40;
  // 64 bits, and rax: without the bit that makes it r8.
  const rex = 0x48 | (hasRex ? bytes[at]! & 0b0011 : 0);
  if (hasRex) at++;
  const opcodeAt = at;
  if (bytes[opcodeAt] !== JUMP_MEMORY) throw new Error('a computed jump of another form');
  const start = to.length;
  to.bytes(rex, MOV_FROM_MEMORY, bytes[opcodeAt + 1]! & 0b1100_0111);
  to.copy(bytes, opcodeAt + 2);
  const { relativeOperand, displacementAt } = instruction;
  if (relativeOperand !== NOWHERE) {
    to.pointTo(relativeOperand, start + 1 + (displacementAt - opcodeAt), to.length);
  }
}
