/**
 * The clone of a function that runs inside of critical sections. It does what the original does, whether anything
 * is isolated at the moment or not, so that nothing hangs on what is known of locks: what is isolated, the
 * library counts as it runs. There are two kinds:
 *
 *   called    of a function that is called inside: it returns to a clone
 *   root      of a function in which a section begins, or that such a one jumps to: when it returns, or goes
 *             where no clone is, copies are written to memory first, since who goes on there knows of none
 *
 * Where a section has ended, the original goes on.
 */
import { FlowControl } from 'iced-x86';
import { jumpedTo } from '../../binary/code/blocks.ts';
import { type FunctionCode, fallsThrough } from '../../binary/code/function-code.ts';
import { type Instruction, NOWHERE } from '../../binary/code/instruction.ts';
import { emitCondition, emitCopy } from '../../binary/rewrite/clone.ts';
import type { CodeBuffer } from '../../binary/rewrite/code-buffer.ts';
import type { InsideAction, SectionPart, SectionPlan } from '../sections/section-plan.ts';
import {
  callSlot,
  countTurn,
  enter,
  jumpIfEnded,
  jumpSlot,
  jumpTo,
  jumpUnlessZero,
  noteLock,
  noteUnknownLock,
  tell,
} from './assembly.ts';
import { type AliveAt, emitRedirected } from './redirected-access.ts';
import { memorySlot } from './stubs.ts';

export type CloneKind = SectionPart['frame'];

export interface InsideCode {
  readonly code: FunctionCode;
  readonly isInside: Uint8Array;
  readonly actions: ReadonlyMap<number, InsideAction>;
  readonly aliveRegisters: Uint16Array;
  readonly aliveFlags: Uint8Array;
  /** The loader looks at who calls: these have to be made by the original. */
  readonly isCallerSensitive: (instruction: Instruction) => boolean;
}

export interface InsideClone {
  readonly code: FunctionCode;
  readonly kind: CloneKind;
  /** In the blob. */
  readonly start: number;
  readonly end: number;
  /** Where each instruction went, and where they end; relative to the blob. */
  readonly places: Uint32Array;
}

/** 32 bits that have to point to the clone of an instruction. */
export interface OpenReference {
  readonly at: number;
  readonly target: number;
  readonly kind: CloneKind;
}

/** What there is beside this clone. */
export interface OtherClones {
  /** Whether there will be a clone of the instruction at this address. */
  has(kind: CloneKind, address: number): boolean;
  readonly references: OpenReference[];
}

const INT3 = 0xcc;

export class InsideCloneMaker {
  readonly #to: CodeBuffer;
  readonly #inside: InsideCode;
  readonly #kind: CloneKind;
  readonly #others: OtherClones;
  /** Jumps within the clone: 32 bits, and the instruction that they lead to. */
  readonly #jumps: { at: number; place: number }[] = [];
  /** Those that go back, by way of where their turns are counted. */
  readonly #turns: { at: number; place: number }[] = [];
  /** Ways out of it, behind its code: 32 bits, and where in the image they lead. */
  readonly #exits: { at: number; target: number }[] = [];

  constructor(to: CodeBuffer, inside: InsideCode, kind: CloneKind, others: OtherClones) {
    this.#to = to;
    this.#inside = inside;
    this.#kind = kind;
    this.#others = others;
  }

  emit(): InsideClone {
    const to = this.#to;
    const { code, isInside } = this.#inside;
    to.align(16, INT3);
    const start = to.length;
    const places = new Uint32Array(code.instructions.length + 1);
    const isTarget = jumpedTo(code);
    for (const [place, instruction] of code.instructions.entries()) {
      places[place] = to.length;
      if (isInside[place] === 1) this.#emitInside(instruction, place);
      else if (isTarget[place] === 1 || isInside[place - 1] !== 0)
        this.#leaveTo(instruction.address);
    }
    places[code.instructions.length] = to.length;
    const last = code.instructions.at(-1);
    if (last && fallsThrough(last)) this.#leaveTo(code.end);
    for (const { at, place } of this.#turns) {
      to.pointTo(to.address, at);
      countTurn(to);
      jumpTo(to, to.base + places[place]!);
    }
    for (const { at, place } of this.#jumps) to.pointTo(to.base + places[place]!, at);
    for (const { at, target } of this.#exits) {
      to.pointTo(to.address, at);
      this.#leaveTo(target);
    }
    return { code, kind: this.#kind, start, end: to.length, places };
  }

  #emitInside(instruction: Instruction, place: number): void {
    const action = this.#inside.actions.get(instruction.address);
    if (this.#inside.isCallerSensitive(instruction)) return this.#leaveTo(instruction.address);
    const next = instruction.address + instruction.length;
    switch (action?.kind) {
      case undefined:
        return this.#emitPlain(instruction, place);
      case 'redirect':
        return this.#emitRedirect(instruction, place, action.operands);
      case 'memory call':
        return this.#emitMemoryCall(instruction, place, action.name);
      case 'commit':
      case 'wait':
        return this.#emitCommit(instruction, place);
      case 'call':
        return this.#emitCall(instruction, place, action.mayEnd);
      case 'leave':
        return this.#leaveTo(instruction.address);
      case 'lock':
        if (!isCall(instruction)) return this.#emitWayOut(instruction, place);
        tell(this.#to, 'show');
        noteLock(this.#to);
        this.#emitOriginalCall(instruction);
        return this.#emitLockTaken();
      case 'unlock':
        if (!isCall(instruction)) return this.#emitUnlockAndReturn(instruction, place);
        tell(this.#to, 'unlock');
        this.#emitOriginalCall(instruction);
        if (action.mayEnd) jumpIfEnded(this.#to, next);
        return;
    }
  }

  /** What needs nothing but to be copied, and jumps. */
  #emitPlain(instruction: Instruction, place: number): void {
    const { flow, target } = instruction;
    switch (flow) {
      case FlowControl.Next:
        return emitCopy(this.#to, instruction, this.#bytes(instruction));
      case FlowControl.ConditionalBranch:
      case FlowControl.UnconditionalBranch: {
        const to = this.#inside.code.jumps[place]!;
        if (to >= 0) return this.#emitJump(instruction, to, place);
        if (this.#others.has(this.#kind, target)) return this.#emitJumpElsewhere(instruction);
        if (flow === FlowControl.UnconditionalBranch) return this.#leaveTo(target);
        emitCondition(this.#to, this.#bytes(instruction));
        this.#to.i32(0);
        this.#exits.push({ at: this.#to.length - 4, target });
        return;
      }
      case FlowControl.Return:
        if (this.#kind === 'root') tell(this.#to, 'leave');
        return emitCopy(this.#to, instruction, this.#bytes(instruction));
      case FlowControl.IndirectBranch:
        return this.#emitWayOut(instruction, place);
      case FlowControl.Call:
      case FlowControl.IndirectCall:
      case FlowControl.Interrupt:
      case FlowControl.XbeginXabortXend:
      case FlowControl.Exception:
        return this.#emitCommit(instruction, place);
    }
  }

  /** Where flags are needed after a jump back, turns are not counted: no compiler makes loops of this kind. */
  #emitJump(instruction: Instruction, to: number, from: number): void {
    const isTurn = to <= from && this.#inside.aliveFlags[to] !== 1;
    const jump = { at: this.#emitOpenJump(instruction), place: to };
    (isTurn ? this.#turns : this.#jumps).push(jump);
  }

  /** Into another function: `f.cold`, or one that is called last. */
  #emitJumpElsewhere(instruction: Instruction): void {
    const { target } = instruction;
    this.#others.references.push({
      at: this.#emitOpenJump(instruction),
      target,
      kind: this.#kind,
    });
  }

  /** Returns where its 32 bits are. */
  #emitOpenJump(instruction: Instruction): number {
    if (instruction.flow === FlowControl.UnconditionalBranch) this.#to.bytes(0xe9);
    else emitCondition(this.#to, this.#bytes(instruction));
    this.#to.i32(0);
    return this.#to.length - 4;
  }

  #emitRedirect(instruction: Instruction, place: number, operands: readonly number[]): void {
    const [first, ...others] = operands.map((number) => instruction.memory[number]!);
    const isPossible = first !== undefined && others.length === 0;
    const isDone =
      isPossible && instruction.flow === FlowControl.Next && !instruction.isAtomic
        ? emitRedirected(this.#to, instruction, this.#bytes(instruction), first, this.#alive(place))
        : false;
    if (!isDone) this.#emitCommit(instruction, place);
  }

  /** On memory itself: nothing is copied at that time. */
  #emitCommit(instruction: Instruction, place: number): void {
    if (instruction.flow === FlowControl.UnconditionalBranch) {
      return this.#emitWayOut(instruction, place);
    }
    tell(this.#to, this.#alive(place).flags ? 'settle, flags' : 'settle');
    if (isCall(instruction)) this.#emitOriginalCall(instruction);
    else emitCopy(this.#to, instruction, this.#bytes(instruction));
  }

  #emitCall(instruction: Instruction, place: number, mayEnd: boolean): void {
    const { target, address, length, flow } = instruction;
    // Into `f.cold`, say.
    if (flow === FlowControl.ConditionalBranch) return this.#emitPlain(instruction, place);
    const isLast = !isCall(instruction);
    // Who is called last returns to the caller of this one.
    const kind = isLast ? this.#kind : 'called';
    if (!this.#others.has(kind, target)) return this.#emitCommit(instruction, place);
    this.#to.bytes(isLast ? 0xe9 : 0xe8);
    this.#to.i32(0);
    this.#others.references.push({ at: this.#to.length - 4, target, kind });
    if (!isLast && mayEnd) jumpIfEnded(this.#to, address + length);
  }

  /** As the original calls it, so that nothing but the function is another. */
  #emitMemoryCall(instruction: Instruction, place: number, name: string): void {
    if (isCall(instruction)) return callSlot(this.#to, memorySlot(name));
    if (this.#kind === 'root') return this.#emitWayOut(instruction, place);
    jumpSlot(this.#to, memorySlot(name));
  }

  /** The lock was taken if eax is 0; who does not get one does not let go of it either. */
  #emitLockTaken(): void {
    const to = this.#to;
    to.bytes(0x85, 0xc0, 0x75, 0);
    const from = to.length;
    tell(to, 'lock');
    to.setByte(from - 1, to.length - from);
  }

  #emitUnlockAndReturn(instruction: Instruction, place: number): void {
    if (this.#kind === 'root') return this.#emitWayOut(instruction, place);
    tell(this.#to, 'unlock');
    this.#emitOriginalCall(instruction);
  }

  /** A call or jump to where it leads in the original. */
  #emitOriginalCall(instruction: Instruction): void {
    const { target, flow } = instruction;
    if (target === NOWHERE) return emitCopy(this.#to, instruction, this.#bytes(instruction));
    this.#to.bytes(flow === FlowControl.Call ? 0xe8 : 0xe9);
    this.#to.i32(0);
    this.#to.pointTo(target, this.#to.length - 4);
  }

  /** A jump that goes on in the original, or in a library. */
  #emitWayOut(instruction: Instruction, place: number): void {
    this.#tellLeaving(this.#alive(place).flags);
    this.#emitOriginalCall(instruction);
  }

  /** Somebody else may still count on the flags. */
  #leaveTo(address: number): void {
    this.#tellLeaving(true);
    jumpTo(this.#to, address);
  }

  #tellLeaving(keepsFlags: boolean): void {
    const event = this.#kind === 'root' ? 'leave' : 'settle';
    tell(this.#to, keepsFlags ? `${event}, flags` : event);
  }

  #alive(place: number): AliveAt {
    const { aliveRegisters, aliveFlags } = this.#inside;
    return { registers: aliveRegisters[place]!, flags: aliveFlags[place] === 1 };
  }

  #bytes({ address, length }: Instruction): Uint8Array {
    const from = address - this.#inside.code.start;
    return this.#inside.code.bytes.subarray(from, from + length);
  }
}

/** `syscall` counts as one, too. */
const isCall = ({ flow }: Instruction): boolean =>
  flow === FlowControl.Call || flow === FlowControl.IndirectCall;

/** The call that a section begins with, in the place of the original's, and then on into the clone. */
export function emitEntry(
  to: CodeBuffer,
  call: { readonly instruction: Instruction; readonly bytes: Uint8Array },
  section: Pick<SectionPlan, 'number' | 'entry'>,
  cloneOfNext: number,
): number {
  const { instruction, bytes } = call;
  const { wrapper, ifZero, next } = section.entry;
  const start = to.length;
  if (wrapper === undefined) noteLock(to);
  if (instruction.target === NOWHERE) emitCopy(to, instruction, bytes);
  else {
    to.bytes(0xe8);
    to.i32(0);
    to.pointTo(instruction.target, to.length - 4);
  }
  // A wrapper that returns nothing leaves anything in eax.
  if (ifZero || wrapper === undefined) jumpUnlessZero(to, next);
  if (wrapper !== undefined) noteUnknownLock(to);
  enter(to, section.number);
  jumpTo(to, to.base + cloneOfNext);
  return start;
}
