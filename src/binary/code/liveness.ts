/**
 * Which registers still matter before each instruction, so that code put there may use the others without
 * saving them. What is not known counts as alive: where a computed jump leads, what follows the function's
 * end, and what other functions want to find.
 *
 *   mov rax,[rdi]     rdi          rax is dead: it is about to be replaced
 *   add rax,rsi       rax, rsi
 *   ret               rax, rdx, and all that the function has not written itself
 *
 * The last line is not the calling convention, by which r10, say, is dead at a return. With -fipa-ra, gcc
 * lets a caller keep a value in r10 if it has seen that its callee leaves r10 alone, and so must a clone.
 * For the same reason a call does not end the life of any register.
 */
import { FlowControl, Mnemonic } from 'iced-x86';
import { type FunctionCode, fallsThrough } from './function-code.ts';
import {
  ALL_REGISTERS,
  ARGUMENTS,
  CALLER_SAVED,
  RAX,
  RDX,
  type RegisterSet,
  setOf,
} from './general-registers.ts';
import type { Instruction } from './instruction.ts';

const RESULTS = setOf(RAX, RDX);

/** What the function and others hand over to each other, beside what the calling convention says. */
export interface Exchange {
  /** What the function at this address wants to find when it is called. */
  readonly taken: (target: number) => RegisterSet;
  /** What others want to find when this one returns. */
  readonly given: RegisterSet;
  /** What is alive where nobody knows; undefined: all; 0: to see what the function itself reads. */
  readonly elsewhere: RegisterSet | undefined;
}

const NO_EXCHANGE: Exchange = { taken: () => 0, given: 0, elsewhere: undefined };

/** A register set for each instruction: those alive before it. */
export function liveRegisters(code: FunctionCode, exchange = NO_EXCHANGE): Uint16Array {
  const { instructions, landingPads, places } = code;
  const unknown = exchange.elsewhere ?? ALL_REGISTERS;
  const written = instructions.reduce((set, { writes }) => set | writes, 0);
  const atReturn = (unknown & ~(CALLER_SAVED & written & ~RESULTS)) | exchange.given;
  const alive = new Uint16Array(instructions.length + 1);
  alive[instructions.length] = unknown;
  // Exceptions may also be caught in another part of the function, `f.cold`.
  const pads = landingPads.flatMap((address) => places.get(address) ?? []);
  const caughtElsewhere = pads.length < landingPads.length ? unknown : 0;
  const caught = (): RegisterSet => pads.reduce((set, pad) => set | alive[pad]!, caughtElsewhere);
  const after = (place: number, instruction: Instruction): RegisterSet => {
    const { flow } = instruction;
    if (flow === FlowControl.Return) return atReturn;
    const next = fallsThrough(instruction) ? alive[place + 1]! : 0;
    switch (flow) {
      case FlowControl.Next:
        // With -fnon-call-exceptions, an access that fails may be caught, too.
        return instruction.memory.length === 0 ? next : next | caught();
      case FlowControl.Call:
      case FlowControl.IndirectCall:
        return next | (ARGUMENTS & unknown) | exchange.taken(instruction.target) | caught();
      case FlowControl.ConditionalBranch:
      case FlowControl.UnconditionalBranch: {
        const target = code.jumps[place]!;
        return next | (target < 0 ? unknown : alive[target]!);
      }
      default:
        return unknown;
    }
  };
  backwardsUntilStable(instructions, alive, (place, instruction) => {
    const { replaces, reads } = instruction;
    return (after(place, instruction) & ~replaces) | reads;
  });
  return alive;
}

/** For each instruction, 1 if somebody may still ask for the status flags as they are before it. */
export function liveFlags(code: FunctionCode, exchange = NO_EXCHANGE): Uint8Array {
  const { instructions } = code;
  const unknown = exchange.elsewhere ?? 1;
  const alive = new Uint8Array(instructions.length + 1).fill(unknown, instructions.length);
  const after = (place: number, instruction: Instruction): number => {
    switch (instruction.flow) {
      // No calling convention hands over flags; some who write assembly do.
      case FlowControl.Return:
        return exchange.given;
      case FlowControl.Call:
      case FlowControl.IndirectCall:
        return instruction.mnemonic === Mnemonic.Syscall
          ? alive[place + 1]!
          : exchange.taken(instruction.target);
      case FlowControl.Next:
        return alive[place + 1]!;
      case FlowControl.ConditionalBranch:
      case FlowControl.UnconditionalBranch: {
        const target = code.jumps[place]!;
        const next = fallsThrough(instruction) ? alive[place + 1]! : 0;
        // A tail call, or the other part of a function that was split: `f.cold` may go on with them.
        return next | (target < 0 ? unknown : alive[target]!);
      }
      default:
        return unknown;
    }
  };
  backwardsUntilStable(instructions, alive, (place, instruction) =>
    instruction.readsFlags ? 1 : instruction.replacesFlags ? 0 : after(place, instruction),
  );
  return alive;
}

/** What is alive only ever grows, so this ends. */
function backwardsUntilStable(
  instructions: readonly Instruction[],
  alive: Uint16Array | Uint8Array,
  before: (place: number, instruction: Instruction) => number,
): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (let place = instructions.length - 1; place >= 0; place--) {
      const now = before(place, instructions[place]!) | alive[place]!;
      if (now === alive[place]) continue;
      alive[place] = now;
      changed = true;
    }
  }
}
