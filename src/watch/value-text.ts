/**
 * How bytes have changed, for people: `0x2a -> 0x2b, bit 0 differs`, `still 0x2a`. Up to eight bytes are a number,
 * with the lowest byte first; of more, those bytes are told that differ.
 */
import { plural } from '../report/wording.ts';

const MOST_BITS_TOLD = 8;
const LONGEST_NUMBER = 8;

export function changeText(before: Uint8Array, after: Uint8Array): string {
  if (before.length > LONGEST_NUMBER) return longChange(before, after);
  const [from, to] = [numberOf(before), numberOf(after)];
  if (from === to) return `still 0x${from.toString(16)}`;
  return `0x${from.toString(16)} -> 0x${to.toString(16)}, ${bitsText(from ^ to)}`;
}

/** The lowest byte first. */
export const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** `bits 0, 1 and 7 differ`, `17 bits differ`. */
function bitsText(difference: bigint): string {
  const bits: number[] = [];
  for (let bit = 0; difference >> BigInt(bit) > 0n; bit++)
    if ((difference >> BigInt(bit)) & 1n) bits.push(bit);
  if (bits.length === 1) return `bit ${bits[0]} differs`;
  if (bits.length > MOST_BITS_TOLD) return `${bits.length} bits differ`;
  return `bits ${bits.slice(0, -1).join(', ')} and ${bits.at(-1)} differ`;
}

function longChange(before: Uint8Array, after: Uint8Array): string {
  const first = before.findIndex((byte, i) => byte !== after[i]);
  if (first < 0) return `the ${plural(before.length, 'byte')} are as they were`;
  const count = before.reduce((sum, byte, i) => sum + (byte === after[i] ? 0 : 1), 0);
  const hex = (bytes: Uint8Array): string => `0x${bytes[first]!.toString(16)}`;
  const which = `${plural(count, 'byte')} of ${before.length}`;
  return `${which} changed, the first at +${first}: ${hex(before)} -> ${hex(after)}`;
}
