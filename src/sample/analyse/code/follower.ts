/**
 * Goes on from a sample as the thread has, with the numbers of its registers, also through jumps whose conditions
 * these numbers decide. One sample in a loop so tells of the rest of the loop:
 *
 *   again: movzx eax,byte ptr [r12]      sampled here, with r12 = 0x7010, r9 = 0x7018: of 8 bytes it is known
 *          lea edx,[r8+r12]              that they are read,
 *          add r12,1
 *          mov [r15+rdx+4],al            and of 8 others that they are written
 *          cmp r12,r9
 *          jne again                     jumps seven times
 *
 * It ends where a jump hangs on what is in memory, at calls, returns and system calls, so that nothing in it can be a
 * lock operation that deadheat knows of; and at atomic instructions, which may be one that it does not know of.
 */
import { ConditionCode, Decoder, FlowControl } from 'iced-x86';
import { NO_REGISTER } from '../../../binary/code/general-registers.ts';
import { type Instruction, type MemoryOperand, NOWHERE } from '../../../binary/code/instruction.ts';
import { tellsWhatItTouches } from '../../../binary/code/touched-memory.ts';
import { isAccess } from './extension-plan.ts';
import { exact, type FollowedRegisters } from './followed-registers.ts';
import { type Effect, effectOf } from './followed-steps.ts';
import type { SampledFunction } from './sampled-function.ts';

export interface FollowedTouch {
  /** As the place table knows it. */
  readonly site: number;
  readonly size: number;
  /** NaN if it cannot be told. */
  readonly address: (registers: FollowedRegisters) => number;
}

interface Step {
  readonly touches: readonly FollowedTouch[];
  readonly effect: Effect;
  /** Places of the function. */
  readonly next: number;
  readonly jumpsTo: number;
  /** None: it does not ask. */
  readonly condition: ConditionCode;
}

export const NO_PLACE = -1;

/** A function as it is followed: instructions are looked into when somebody comes there. */
export class FollowedFunction {
  readonly #function: SampledFunction;
  readonly #siteOf: (instruction: Instruction, operand: number) => number;
  readonly #steps: (Step | undefined)[] = [];
  readonly #isLookedInto: Uint8Array;

  constructor(
    sampled: SampledFunction,
    siteOf: (instruction: Instruction, operand: number) => number,
  ) {
    this.#function = sampled;
    this.#siteOf = siteOf;
    this.#isLookedInto = new Uint8Array(sampled.code.instructions.length);
  }

  placeOf(address: number): number {
    return this.#function.code.places.get(address) ?? NO_PLACE;
  }

  /** Whether where it goes on from a place hangs on a condition. */
  asks(place: number): boolean {
    return this.#function.code.instructions[place]?.flow === FlowControl.ConditionalBranch;
  }

  /** What the instruction at a place touches; none at the end of what can be followed. */
  touches(place: number): readonly FollowedTouch[] {
    return this.#stepAt(place)?.touches ?? [];
  }

  /** Has the instruction at a place done, and says which comes next; NO_PLACE if nobody can tell. */
  follow(place: number, registers: FollowedRegisters): number {
    const step = this.#stepAt(place);
    if (step === undefined) return NO_PLACE;
    const { condition, effect, next, jumpsTo } = step;
    if (condition !== ConditionCode.None) {
      const jumps = registers.holds(condition);
      return jumps === undefined ? NO_PLACE : jumps ? jumpsTo : next;
    }
    effect(registers);
    return next;
  }

  #stepAt(place: number): Step | undefined {
    if (this.#isLookedInto[place] === 0) {
      this.#isLookedInto[place] = 1;
      this.#steps[place] = this.#stepOf(place);
    }
    return this.#steps[place];
  }

  #stepOf(place: number): Step | undefined {
    const { instructions, jumps } = this.#function.code;
    const instruction = instructions[place];
    if (instruction === undefined || !canBeFollowed(instruction)) return undefined;
    const bytes = this.#function.bytesOf(instruction);
    const decoder = new Decoder(64, bytes, 0);
    decoder.ip = BigInt(instruction.address);
    const iced = decoder.decode();
    const isJump = instruction.flow === FlowControl.UnconditionalBranch;
    const isAsking = instruction.flow === FlowControl.ConditionalBranch;
    const condition = isAsking ? iced.conditionCode : ConditionCode.None;
    const effect = effectOf(iced, instruction);
    iced.free();
    decoder.free();
    // `loop` and `jrcxz` ask for no flags.
    if (isAsking && condition === ConditionCode.None) return undefined;
    return {
      touches: this.#touchesOf(instruction, bytes),
      ...{ effect, condition, jumpsTo: jumps[place]! },
      next: isJump ? jumps[place]! : place + 1,
    };
  }

  #touchesOf(instruction: Instruction, bytes: Uint8Array): FollowedTouch[] {
    if (instruction.memory.length === 0 || !tellsWhatItTouches(instruction, bytes)) return [];
    return instruction.memory.flatMap((operand, number) => {
      if (!isAccess(operand)) return [];
      const site = this.#siteOf(instruction, number);
      return [{ site, size: operand.size, address: addressOf(instruction, operand) }];
    });
  }
}

/** Where samples stand. */
export interface FollowedPlace {
  readonly followed: FollowedFunction;
  readonly place: number;
}

/** Behind so many instructions it was a while later, and the next sample there tells of them as well. */
export const MOST_STEPS = 128;

/** `registers` are the sample's, and not any more afterwards. An address may be NaN. */
export function followFrom(
  { followed, place }: FollowedPlace,
  registers: FollowedRegisters,
  touch: (site: number, size: number, address: number) => void,
): void {
  let at = place;
  for (let left = MOST_STEPS; at !== NO_PLACE && left > 0; left--) {
    for (const { site, size, address } of followed.touches(at)) {
      touch(site, size, address(registers));
    }
    at = followed.follow(at, registers);
  }
}

function canBeFollowed({ flow, isAtomic, repetition }: Instruction): boolean {
  if (isAtomic || repetition !== 'none') return false;
  return (
    flow === FlowControl.Next ||
    flow === FlowControl.ConditionalBranch ||
    flow === FlowControl.UnconditionalBranch
  );
}

function addressOf(
  { relativeOperand }: Instruction,
  { base, index, scale, displacement, place }: MemoryOperand,
): FollowedTouch['address'] {
  if (relativeOperand !== NOWHERE && base === NO_REGISTER) {
    return ({ imageBase }) => imageBase + relativeOperand;
  }
  return ({ values, fsBase, gsBase }) => {
    const ofBase = base === NO_REGISTER ? 0 : values[base]!;
    const ofIndex = index === NO_REGISTER ? 0 : exact(values[index]! * scale);
    const ofSegment = place === 'fs' ? fsBase : place === 'gs' ? gsBase : 0;
    return exact(exact(ofBase + ofIndex) + displacement) + ofSegment;
  };
}
