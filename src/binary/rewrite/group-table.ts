/**
 * What the agent has to know of each group of accesses, to make addresses of the values that a clone logs.
 * Words of 32 bits:
 *
 *   values | accesses << 16                     how many
 *   where the thread's state for it is          (agent/accesses.c keeps the last values there)
 *   for each access:
 *     value | count << 8 | size << 16           which value; 255: none
 *     displacement
 *     site
 *     flags
 */
import type { NumberedGroup } from './clone.ts';

/** As in agent/deadheat.h. */
export const AccessFlag = { read: 1, write: 2, atomic: 4 } as const;

const NONE = 0xff;
const WORDS_OF_ACCESS = 4;
/** Of a thread's state (struct run of agent/runs.c): four numbers, and of each value the last one and its step. */
const stateSizeOf = (values: number): number => 16 + 16 * values;

export interface GroupTable {
  readonly groupIndex: Uint32Array;
  readonly groups: Uint32Array;
  readonly sites: Uint32Array;
  readonly stateSize: number;
}

export function groupTable(all: readonly NumberedGroup[]): GroupTable {
  const words = all.reduce((sum, { accesses }) => sum + 2 + WORDS_OF_ACCESS * accesses.length, 0);
  const groups = new Uint32Array(words);
  const groupIndex = new Uint32Array(all.length);
  const sites: number[] = [];
  let at = 0;
  let stateSize = 0;
  for (const [number, { values, accesses, isOrdered }] of all.entries()) {
    groupIndex[number] = at;
    groups[at++] = values.length | (accesses.length << 16);
    groups[at++] = stateSize;
    stateSize += stateSizeOf(values.length);
    for (const { value, count, size, displacement, address, isRead, isWritten } of accesses) {
      groups[at++] = (value & NONE) | ((count & NONE) << 8) | (size << 16);
      groups[at++] = displacement;
      groups[at++] = sites.push(address) - 1;
      groups[at++] =
        (isRead ? AccessFlag.read : 0) |
        (isWritten ? AccessFlag.write : 0) |
        (isOrdered ? AccessFlag.atomic : 0);
    }
  }
  return { groupIndex, groups, sites: Uint32Array.from(sites), stateSize };
}
