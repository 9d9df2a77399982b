/** What the clone of an instruction does inside a section (section-plan.ts), if it is not just what it did. */
import { FlowControl, Mnemonic } from 'iced-x86';
import { type Instruction, NOWHERE } from '../../binary/code/instruction.ts';
import { type ImageAddress, imageAddress } from '../../binary/image-address.ts';
import { frameBases } from '../../binary/unwind/frame-bases.ts';
import { onlyLooks, worksOnCopies } from '../memory-functions.ts';
import type { FunctionFacts } from './function-facts.ts';
import { passesTime } from './known-imports.ts';
import { lockCall } from './lock-calls.ts';
import type { ProgramCode, ProgramFunction, Spot } from './program-code.ts';
import type { CommitReason, InsideAction } from './section-plan.ts';
import { constantAddresses, type IsConstant, sharedOperands } from './shared-memory.ts';
import type { Traversed } from './traversed.ts';
import { waitingLoads } from './waiting-loads.ts';

const FENCES: ReadonlySet<Mnemonic> = new Set([Mnemonic.Mfence, Mnemonic.Lfence, Mnemonic.Sfence]);
/** No vector is wider. */
const WIDEST = 64;

/** By debug information: plain accesses that are atomic, too. */
export interface KnownAtomics {
  /** Whether the variable at this address is atomic. */
  readonly isVariable: (address: ImageAddress) => boolean;
  /** Whether the instruction at this address does something to one, wherever that is. */
  readonly isCode: (address: ImageAddress) => boolean;
}

export const NO_ATOMICS: KnownAtomics = { isVariable: () => false, isCode: () => false };

/** By the instruction's address: what hangs only on the instruction itself, and not on who calls whom. */
export type MemoryActions = ReadonlyMap<number, InsideAction>;

export class ActionFinder {
  readonly #program: ProgramCode;
  readonly #facts: FunctionFacts;
  readonly #isConstant: IsConstant;
  readonly #atomics: KnownAtomics;
  readonly #known = new Map<ProgramFunction, MemoryActions>();

  constructor(program: ProgramCode, facts: FunctionFacts, atomics: KnownAtomics) {
    this.#program = program;
    this.#facts = facts;
    this.#atomics = atomics;
    this.#isConstant = constantAddresses(program.elf);
  }

  /** What the clone of this instruction does in a section with these ends. */
  actionAt(
    one: ProgramFunction,
    spot: Spot,
    found: Traversed,
    frame: 'root' | 'called',
  ): InsideAction | undefined {
    const isOut = frame === 'root' && found.leaves.has(spot);
    const flow = this.#program.flow(spot);
    if (flow.kind === 'calls') {
      const { callee, next } = flow;
      if (isOut && next !== undefined) return { kind: 'leave' };
      switch (callee.kind) {
        case 'import':
          return this.#isWaiting(one, spot)
            ? { kind: 'commit', why: 'spin' }
            : importAction(callee.name, found.endingUnlocks.has(spot));
        case 'computed':
          return { kind: 'commit', why: 'computed call' };
        case 'unreadable':
          return { kind: 'commit', why: 'library' };
        case 'function': {
          if (this.#facts.neverComesBack(this.#program.functionOf(callee.spot))) {
            return { kind: 'commit', why: 'never back' };
          }
          const target = this.#program.instruction(callee.spot).address;
          return { kind: 'call', target, mayEnd: found.endingCalls.has(spot) };
        }
      }
    }
    const jumped = flow.kind === 'goes' ? this.#functionJumpedTo(one, spot) : undefined;
    if (jumped !== undefined) return { kind: 'call', target: jumped, mayEnd: false };
    return this.#memoryActions(one).get(one.code.instructions[spot - one.first]!.address);
  }

  /** A call at the end of a function, as a jump: to the start of another. */
  #functionJumpedTo({ code, first }: ProgramFunction, spot: Spot): number | undefined {
    const { flow, target } = code.instructions[spot - first]!;
    if (flow !== FlowControl.UnconditionalBranch || code.places.has(target)) return undefined;
    const to = this.#program.spotAt(target);
    return to !== undefined && this.#program.functionOf(to).first === to ? target : undefined;
  }

  #isWaiting(one: ProgramFunction, spot: Spot): boolean {
    const { address } = one.code.instructions[spot - one.first]!;
    const action = this.#memoryActions(one).get(address);
    return action?.kind === 'commit' && action.why === 'spin';
  }

  #isAtomic({ isAtomic, relativeOperand, address }: Instruction): boolean {
    const { isVariable, isCode } = this.#atomics;
    if (isAtomic || isCode(imageAddress(address))) return true;
    return relativeOperand !== NOWHERE && isVariable(imageAddress(relativeOperand));
  }

  #memoryActions(one: ProgramFunction): MemoryActions {
    const known = this.#known.get(one);
    if (known) return known;
    const { instructions } = one.code;
    const bases = frameBases(one.fde);
    const sharedOf = (instruction: Instruction): number[] =>
      sharedOperands(instruction, bases, this.#isConstant);
    const isNamed = (call: Instruction, holds: (name: string) => boolean): boolean => {
      const name = this.#program.importOf(call);
      return name !== undefined && holds(name);
    };
    const spins = waitingLoads(one.code, {
      passesTime: (call) => isNamed(call, passesTime),
      looks: (call) => isNamed(call, onlyLooks),
      sharedOf,
    });
    const actions = new Map<number, InsideAction>();
    for (const instruction of instructions) {
      const operands = sharedOf(instruction);
      const isAtomic = operands.length > 0 && this.#isAtomic(instruction);
      const why = commitReason(instruction, operands, isAtomic, spins.has(instruction));
      if (why !== undefined) actions.set(instruction.address, { kind: 'commit', why });
      else if (operands.length > 0) {
        actions.set(instruction.address, { kind: 'redirect', operands });
      }
    }
    this.#known.set(one, actions);
    return actions;
  }
}

function commitReason(
  instruction: Instruction,
  shared: readonly number[],
  isAtomic: boolean,
  isSpin: boolean,
): CommitReason | undefined {
  const { mnemonic, flow, memory, repetition } = instruction;
  if (FENCES.has(mnemonic)) return 'fence';
  if (mnemonic === Mnemonic.Syscall || flow === FlowControl.Interrupt) return 'system';
  if (isSpin && !isAtomic) return 'spin';
  if (shared.length === 0) return undefined;
  if (isAtomic) return 'atomic';
  if (repetition !== 'none') return 'string';
  const isWide = shared.some((index) => {
    const { place, size } = memory[index]!;
    return place === 'scattered' || size === 0 || size > WIDEST;
  });
  return isWide ? 'wide' : undefined;
}

function importAction(name: string, mayEnd: boolean): InsideAction {
  const lock = lockCall(name);
  switch (lock?.does) {
    case 'lock':
      return { kind: 'lock', lock: lock.kind, ifZero: lock.ifZero };
    case 'unlock':
      return { kind: 'unlock', mayEnd };
    case 'wait':
      return { kind: 'wait' };
    case undefined:
      return worksOnCopies(name)
        ? { kind: 'memory call', name }
        : { kind: 'commit', why: 'library' };
  }
}
