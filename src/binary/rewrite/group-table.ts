/**
 * What the agent has to know of each group of accesses, to make addresses of the values that a clone logs.
 * Words of 32 bits:
 *
 *   values | rows << 16                         how many
 *   where the thread's state for it is          (agent/accesses.c keeps the last values there)
 *   rows of four words, one for each access:
 *     value | count << 8 | size << 16           which value; 255: none
 *     displacement
 *     site
 *     flags
 *
 * On the way into a loop, there are other rows, too, which are told by their flags; for the way out, only that:
 *
 *   first   counter | certain << 8 | stack << 16, its step, accesses, LOOP      (see loop-group.ts)
 *   last    value | 255 << 8, constant, 0, 0                                    for each value: its step
 *   only    0 | done << 8 | distance << 16, counted, 0, EXIT
 */
import type { AccessGroup, NumberedGroup } from './access-groups.ts';
import type { LoopEntry, LoopExit } from './loop-group.ts';

/** As in agent/deadheat.h. */
export const AccessFlag = { read: 1, write: 2, atomic: 4 } as const;
/** As in agent/groups.h. */
const RowFlag = { loop: 8, exit: 16 } as const;

const NONE = 0xff;
const WORDS_OF_ROW = 4;
/** Of a thread's state (struct dh_run of agent/runs.h): four numbers, and of each value the last one and its step. */
const stateSizeOf = (values: number): number => 16 + 16 * values;

export interface GroupTable {
  readonly groupIndex: Uint32Array;
  readonly groups: Uint32Array;
  readonly sites: Uint32Array;
  readonly stateSize: number;
}

export function groupTable(all: readonly NumberedGroup[]): GroupTable {
  const words = all.reduce((sum, group) => sum + 2 + WORDS_OF_ROW * rowCount(group), 0);
  const groups = new Uint32Array(words);
  const groupIndex = new Uint32Array(all.length);
  const sites: number[] = [];
  let at = 0;
  let stateSize = 0;
  const row = (low: number, middle: number, high: number, rest: readonly number[]): void => {
    groups[at++] = (low & NONE) | ((middle & NONE) << 8) | (high << 16);
    for (const word of rest) groups[at++] = word;
  };
  for (const [number, group] of all.entries()) {
    const { values, accesses, loop, isOrdered } = group;
    groupIndex[number] = at;
    groups[at++] = values.length | (rowCount(group) << 16);
    groups[at++] = stateSize;
    // A way out has no use for it, but whoever looks for runs must not find another group's.
    stateSize += stateSizeOf(values.length);
    if (loop) firstRow(loop, accesses.length, row);
    for (const { value, count, size, displacement, address, isRead, isWritten } of accesses) {
      const flags =
        (isRead ? AccessFlag.read : 0) |
        (isWritten ? AccessFlag.write : 0) |
        (isOrdered ? AccessFlag.atomic : 0);
      row(value, count, size, [displacement, sites.push(address) - 1, flags]);
    }
    if (loop?.kind === 'entry') {
      for (const { value, constant } of loop.steps) row(value, NONE, 0, [constant, 0, 0]);
    }
  }
  return { groupIndex, groups, sites: Uint32Array.from(sites), stateSize };
}

function rowCount({ accesses, loop }: AccessGroup): number {
  if (!loop) return accesses.length;
  return loop.kind === 'exit' ? 1 : 1 + accesses.length + loop.steps.length;
}

function firstRow(
  loop: LoopEntry | LoopExit,
  accesses: number,
  row: (low: number, middle: number, high: number, rest: readonly number[]) => void,
): void {
  if (loop.kind === 'entry') {
    row(loop.counter, loop.certain, loop.stack, [loop.counterStep, accesses, RowFlag.loop]);
  } else {
    row(0, loop.done, loop.distance, [loop.counted, 0, RowFlag.exit]);
  }
}
