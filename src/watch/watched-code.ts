/**
 * Functions of what is watched, taken apart: read from its memory when somebody asks, and kept for a while.
 *
 * Addresses of a kernel do not fit into the numbers that instructions have, so that these count from the
 * function's first byte: of a function at 0xffffffff81000000, `mov eax,[rip+0x100]` at its start is at 0 and
 * speaks of 0x106, which `touchedBy` makes an address again.
 */
import { firstIndex } from '../base/bisect.ts';
import { decode, decodeFirst } from '../binary/code/decode.ts';
import { type Instruction, NOWHERE } from '../binary/code/instruction.ts';
import { type TouchedBytes, touchedMemory } from '../binary/code/touched-memory.ts';
import { registerValues } from '../debugger/touched-at.ts';
import type { CodeFunction, DebugTarget, RunnerRegisters } from './debug-target.ts';

export interface WatchedFunction {
  readonly place: CodeFunction;
  readonly bytes: Uint8Array;
  /** By address, from the function's start. */
  readonly instructions: readonly Instruction[];
}

/** One of a function's. */
export interface PlacedInstruction {
  readonly inside: WatchedFunction;
  readonly instruction: Instruction;
}

export const addressOf = ({ inside, instruction }: PlacedInstruction): bigint =>
  inside.place.start + BigInt(instruction.address);

export const bytesOf = ({ inside, instruction }: PlacedInstruction): Uint8Array =>
  inside.bytes.subarray(instruction.address, instruction.address + instruction.length);

/** Of a runner that stands before it. */
export const touchedBy = (
  { inside, instruction }: PlacedInstruction,
  registers: RunnerRegisters,
): TouchedBytes[] => touchedFrom(instruction, inside.place.start, registers);

/** Longer than any instruction. */
const INSTRUCTION_BYTES = 16;

/** The same without the function around it, which may take long to be taken apart. */
export async function touchedAt(
  target: Pick<DebugTarget, 'read'>,
  address: bigint,
  registers: RunnerRegisters,
): Promise<TouchedBytes[]> {
  const bytes = await target.read(address, INSTRUCTION_BYTES);
  const instruction = bytes.length === 0 ? undefined : firstOf(bytes);
  return instruction ? touchedFrom(instruction, address, registers) : [];
}

/** By the bytes: the same places are come to again and again, and whoever stands there waits. */
const firsts = new Map<string, Instruction | undefined>();
const MOST_FIRSTS = 10_000;

/** The first instruction of these bytes, as if it were at 0. */
export function firstOf(bytes: Uint8Array): Instruction | undefined {
  const key = Buffer.from(bytes).toString('latin1');
  if (firsts.has(key)) return firsts.get(key);
  if (firsts.size >= MOST_FIRSTS) firsts.clear();
  const decoded = decodeFirst(bytes, 0);
  const first = decoded.ok ? decoded.value : undefined;
  firsts.set(key, first);
  return first;
}

/** `start`: the address of what is at 0. */
function touchedFrom(
  instruction: Instruction,
  start: bigint,
  registers: RunnerRegisters,
): TouchedBytes[] {
  const touched = touchedMemory(instruction, registerValues(registers));
  if (instruction.relativeOperand === NOWHERE) return touched;
  return touched.map((bytes) => ({
    ...bytes,
    address: BigInt.asUintN(64, bytes.address + start),
  }));
}

/** By its place from the function's start. */
function instructionAt(inside: WatchedFunction, offset: number): Instruction | undefined {
  const { instructions } = inside;
  const found = instructions[firstIndex(instructions, ({ address }) => address >= offset)];
  return found?.address === offset ? found : undefined;
}

/** Of so many functions the instructions are kept. */
const MOST_KEPT = 1000;
/** A larger one is rather a mistake of somebody's symbols. */
const LARGEST_FUNCTION = 1 << 20;

export class WatchedCode {
  readonly #target: Pick<DebugTarget, 'read' | 'functionAt'>;
  readonly #kept = new Map<bigint, WatchedFunction | undefined>();

  constructor(target: Pick<DebugTarget, 'read' | 'functionAt'>) {
    this.#target = target;
  }

  /** undefined if there is no such code, or nobody understands it. */
  async functionOf(place: CodeFunction): Promise<WatchedFunction | undefined> {
    if (this.#kept.has(place.start)) return this.#kept.get(place.start);
    const read = await this.#read(place);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(place.start, read);
    return read;
  }

  async functionAt(address: bigint): Promise<WatchedFunction | undefined> {
    const place = await this.#target.functionAt(address);
    return place && this.functionOf(place);
  }

  /** undefined if no instruction begins there. */
  async instructionAt(address: bigint): Promise<PlacedInstruction | undefined> {
    const inside = await this.functionAt(address);
    const instruction = inside && instructionAt(inside, Number(address - inside.place.start));
    return inside && instruction && { inside, instruction };
  }

  /** Other code may be there now. */
  forget(): void {
    this.#kept.clear();
  }

  async #read(place: CodeFunction): Promise<WatchedFunction | undefined> {
    const size = Number(place.end - place.start);
    if (size <= 0 || size > LARGEST_FUNCTION) return undefined;
    const bytes = await this.#target.read(place.start, size);
    if (bytes.length < size) return undefined;
    const decoded = decode(bytes, 0);
    return decoded.ok ? { place, bytes, instructions: decoded.value } : undefined;
  }
}
