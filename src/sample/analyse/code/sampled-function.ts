/** A function that samples are in, with what its places tell: see extension-plan.ts. */
import { FlowControl } from 'iced-x86';
import { tryTo } from '../../../base/result.ts';
import { jumpedTo } from '../../../binary/code/blocks.ts';
import {
  type ConstantData,
  hasSwitch,
  switchTargets,
} from '../../../binary/code/computed-jumps.ts';
import { decode } from '../../../binary/code/decode.ts';
import { type FunctionCode, jumpPlaces } from '../../../binary/code/function-code.ts';
import type { Instruction } from '../../../binary/code/instruction.ts';
import { extensionPlan, type PlannedAccess } from './extension-plan.ts';
import type { JumpTargets } from './jump-targets.ts';
import { surePath } from './sure-path.ts';

/** Of the whole image. */
export interface ImageJumps {
  readonly far: JumpTargets;
  readonly constants: ConstantData;
  /** Addresses that data has pointers to. */
  readonly entries: ReadonlySet<number>;
}

export class SampledFunction {
  readonly code: FunctionCode;
  readonly #isJumpedTo: Uint8Array;

  constructor(code: FunctionCode, jumps: ImageJumps) {
    this.code = code;
    this.#isJumpedTo = jumpedTo(code, switchTargets(code, jumps.constants, jumps.entries));
    const isComputed = hasSwitch(code);
    for (const [place, { address, flow }] of code.instructions.entries()) {
      if (jumps.far.has(address)) this.#isJumpedTo[place] = 1;
      // Where a table was not understood, what follows any jump may be where it leads.
      const goesOn = flow === FlowControl.Next || flow === FlowControl.ConditionalBranch;
      if (isComputed && !goesOn) this.#isJumpedTo[place + 1] = 1;
    }
  }

  /** Empty if no instruction begins there. */
  planAt(address: number): PlannedAccess[] {
    const place = this.code.places.get(address);
    if (place === undefined) return [];
    return extensionPlan(surePath(this.code, this.#isJumpedTo, place), (one) => this.bytesOf(one));
  }

  /** Whether whoever is at one place comes to the other without a call. */
  surelyLeads(from: number, to: number): boolean {
    const place = this.code.places.get(from);
    if (place === undefined) return false;
    return surePath(this.code, this.#isJumpedTo, place).after.some(({ address }) => address === to);
  }

  bytesOf({ address, length }: Instruction): Uint8Array {
    const from = address - this.code.start;
    return this.code.bytes.subarray(from, from + length);
  }
}

/** undefined if not all of it can be decoded. */
export function functionCode(
  name: string,
  start: number,
  bytes: Uint8Array,
  landingPads: readonly number[],
): FunctionCode | undefined {
  const decoded = tryTo(() => decode(bytes, start));
  if (!decoded.ok || !decoded.value.ok) return undefined;
  const instructions = decoded.value.value;
  const places = new Map(instructions.map(({ address }, place) => [address, place]));
  const jumps = jumpPlaces(instructions, places);
  return {
    name,
    start,
    end: start + bytes.length,
    bytes,
    instructions,
    places,
    jumps,
    landingPads,
  };
}
