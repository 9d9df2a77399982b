/** A function with its instructions: what liveness, blocks and clones are made from. */
import { FlowControl } from 'iced-x86';
import type { Instruction } from './instruction.ts';

export interface FunctionCode {
  readonly name: string;
  readonly start: number;
  /** The first address that is not part of it any more. */
  readonly end: number;
  readonly bytes: Uint8Array;
  readonly instructions: readonly Instruction[];
  /** By address. */
  readonly places: ReadonlyMap<number, number>;
  /** See `jumpPlaces`. */
  readonly jumps: Int32Array;
  /** Where exceptions are caught, if they are. */
  readonly landingPads: readonly number[];
}

/** Which instruction each jump inside a function leads to; -1 for jumps out of it, and for all others. */
export function jumpPlaces(
  instructions: readonly Instruction[],
  places: ReadonlyMap<number, number>,
): Int32Array {
  return Int32Array.from(instructions, ({ flow, target }) =>
    flow === FlowControl.ConditionalBranch || flow === FlowControl.UnconditionalBranch
      ? (places.get(target) ?? -1)
      : -1,
  );
}

/** Whether the instruction after it may come next. */
export function fallsThrough({ flow }: Instruction): boolean {
  switch (flow) {
    case FlowControl.Next:
    case FlowControl.ConditionalBranch:
    case FlowControl.Call:
    case FlowControl.IndirectCall:
    case FlowControl.Interrupt:
    case FlowControl.XbeginXabortXend:
      return true;
    case FlowControl.UnconditionalBranch:
    case FlowControl.IndirectBranch:
    case FlowControl.Return:
    case FlowControl.Exception:
      return false;
  }
}
