/**
 * Which functions can have their first bytes replaced by a jump to their clone: those in which nothing jumps
 * to the second to fifth of these bytes, and that are long enough, or followed by filling. Others still have
 * a clone, for those who call them directly.
 */
import { Mnemonic } from 'iced-x86';
import { decode } from '../code/decode.ts';
import type { FunctionCode } from '../code/function-code.ts';

export const JUMP_LENGTH = 5;
/** No instruction is longer. */
const LONGEST_INSTRUCTION = 15;

export interface PatchContext {
  /** All addresses that are jumped to from somewhere, and where functions start. */
  readonly entries: ReadonlySet<number>;
  /** Up to so many bytes of the image from there on. */
  readonly bytesAt: (address: number, length: number) => Uint8Array;
}

/** Where the jump goes; undefined if there is no room for it. */
export function patchPlace(code: FunctionCode, context: PatchContext): number | undefined {
  const [first] = code.instructions;
  if (!first) return undefined;
  // Computed calls must find endbr64 where it was.
  const at = first.mnemonic === Mnemonic.Endbr64 ? code.start + first.length : code.start;
  const end = at + JUMP_LENGTH;
  if (at >= code.end) return undefined;
  for (let address = at + 1; address < end; address++) {
    if (context.entries.has(address)) return undefined;
  }
  return isFilling(context, code.end, end) ? at : undefined;
}

/** Whether nothing but int3 and forms of nop begins there, so that nobody misses it. */
function isFilling(context: PatchContext, from: number, to: number): boolean {
  for (let at = from; at < to; ) {
    const bytes = context.bytesAt(at, LONGEST_INSTRUCTION);
    const length = fillingLength(bytes, at);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** Of the first instruction there, if it fills; else 0. */
function fillingLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= bytes.length; length++) {
    const decoded = decode(bytes.subarray(0, length), at);
    if (!decoded.ok) continue;
    const [first] = decoded.value;
    return first && FILLERS.has(first.mnemonic) ? first.length : 0;
  }
  return 0;
}

const FILLERS: ReadonlySet<Mnemonic> = new Set([Mnemonic.Nop, Mnemonic.Int3]);
