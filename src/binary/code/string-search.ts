/**
 * Whether a function looks for the end of a string many bytes at a time, as those of C's library do. Their names are
 * often stripped off, but not the way they do it: bytes are compared with a register that is all zeros.
 *
 *   vpxor    xmm0,xmm0,xmm0
 *   vpcmpeqb ymm1,ymm0,[rdi]      32 bytes at once, whatever comes behind the end of the string
 *
 * memcpy compares nothing, and memcmp and memchr compare with something else.
 */
import { Mnemonic } from 'iced-x86';
import type { Instruction } from './instruction.ts';

export function looksForNul(instructions: readonly Instruction[]): boolean {
  if (instructions.some(({ mnemonic }) => TESTS_FOR_ZERO.has(mnemonic))) return true;
  return (
    instructions.some(isZeroing) && instructions.some(({ mnemonic }) => COMPARES.has(mnemonic))
  );
}

/** Something that is combined with itself, so that nothing is left of it. */
function isZeroing({ mnemonic, operands }: Instruction): boolean {
  const [one, other] = operands.slice(-2);
  return EXCLUSIVE_ORS.has(mnemonic) && one?.register !== 0 && one?.register === other?.register;
}

const EXCLUSIVE_ORS: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Pxor, Mnemonic.Vpxor, Mnemonic.Vpxord, Mnemonic.Vpxorq],
]);
const COMPARES: ReadonlySet<Mnemonic> = new Set([
  ...[Mnemonic.Pcmpeqb, Mnemonic.Vpcmpeqb, Mnemonic.Pminub, Mnemonic.Vpminub],
]);
const TESTS_FOR_ZERO: ReadonlySet<Mnemonic> = new Set([Mnemonic.Vptestmb, Mnemonic.Vptestnmb]);
