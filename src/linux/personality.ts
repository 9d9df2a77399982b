/** What personality(2) is told. Source: <linux/personality.h>. */
import { readFileSync } from 'node:fs';
import type { Pid } from './ids.ts';

export const Personality = {
  /** Changes nothing, and returns what is set. */
  query: 0xffff_ffff,
  fixedAddresses: 0x004_0000,
} as const;

/** Whether its memory is where it was in other runs: containers may forbid to ask for that. */
export function hasFixedAddresses(process: Pid): boolean {
  const set = Number.parseInt(readFileSync(`/proc/${process}/personality`, 'utf8'), 16);
  return (set & Personality.fixedAddresses) !== 0;
}
