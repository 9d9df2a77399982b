/**
 * How bytes have changed, for people: `0x2a -> 0x2b, bit 0 differs`, `still 0x2a`. Up to eight bytes are a number,
 * with the lowest byte first; of more, those bytes are told that differ, as they stand in memory:
 *
 *   3 bytes of 32 changed, at +8: 3fff -> 4000, at +20: 01 -> 00
 */
import { plural } from '../report/wording.ts';

const MOST_BITS_TOLD = 8;
const LONGEST_NUMBER = 8;
/** Of what is longer. */
const MOST_RUNS_TOLD = 4;
const MOST_BYTES_TOLD = 8;

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
  const runs = changedRuns(before, after);
  if (runs.length === 0) return `the ${plural(before.length, 'byte')} are as they were`;
  const count = runs.reduce((sum, { from, until }) => sum + until - from, 0);
  const told = runs.slice(0, MOST_RUNS_TOLD).map(({ from, until }) => {
    const hex = (bytes: Uint8Array): string => shortHex(bytes.subarray(from, until));
    return `at +${from}: ${hex(before)} -> ${hex(after)}`;
  });
  const more = runs.length - told.length;
  if (more > 0) told.push(`and at ${plural(more, 'more place')}`);
  return `${plural(count, 'byte')} of ${before.length} changed, ${told.join(', ')}`;
}

interface Run {
  readonly from: number;
  readonly until: number;
}

/** Bytes that differ, and stand side by side. */
function changedRuns(before: Uint8Array, after: Uint8Array): Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < before.length; at++) {
    if (before[at] === after[at]) continue;
    const last = runs.at(-1);
    if (last?.until === at) runs[runs.length - 1] = { from: last.from, until: at + 1 };
    else runs.push({ from: at, until: at + 1 });
  }
  return runs;
}

function shortHex(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, MOST_BYTES_TOLD)).toString('hex');
  return bytes.length > MOST_BYTES_TOLD ? `${hex}…` : hex;
}
