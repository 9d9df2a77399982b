/**
 * Which functions can have their first bytes replaced by a jump to their clone: those in which nothing jumps
 * to the second to fifth of these bytes, and that are long enough, or followed by filling. Others still have
 * a clone, for those who call them directly.
 */
import { Mnemonic } from 'iced-x86';
import type { FunctionCode } from '../code/function-code.ts';

export const JUMP_LENGTH = 5;

/** int3 and the forms of nop that assemblers fill with. */
const FILLING: ReadonlySet<number> = new Set([
  0xcc, 0x90, 0x66, 0x2e, 0x0f, 0x1f, 0x00, 0x40, 0x44, 0x80, 0x84,
]);

export interface PatchContext {
  /** All addresses that are jumped to from somewhere. */
  readonly jumpTargets: ReadonlySet<number>;
  /** The byte of the image there; undefined outside of it. */
  readonly byteAt: (address: number) => number | undefined;
  readonly isInFunction: (address: number) => boolean;
}

/** Where the jump goes; undefined if there is no room for it. */
export function patchPlace(code: FunctionCode, context: PatchContext): number | undefined {
  const [first] = code.instructions;
  if (!first) return undefined;
  // Computed calls must find endbr64 where it was.
  const at = first.mnemonic === Mnemonic.Endbr64 ? code.start + first.length : code.start;
  const end = at + JUMP_LENGTH;
  for (let address = at + 1; address < end; address++) {
    if (context.jumpTargets.has(address)) return undefined;
  }
  for (let address = code.end; address < end; address++) {
    const byte = context.byteAt(address);
    const isFilling = byte !== undefined && FILLING.has(byte) && !context.isInFunction(address);
    if (!isFilling) return undefined;
  }
  return at;
}
