import { expect, it } from 'vitest';
import { NO_REGISTER, RAX, RSP } from '../code/general-registers.ts';
import type { LoggedAccess, NumberedGroup } from './access-groups.ts';
import { groupTable } from './group-table.ts';

const value = (base: number) => ({ base, index: NO_REGISTER, scale: 1 });
const access: LoggedAccess = {
  ...{ address: 0x1040, value: 0, displacement: -8, size: 4, isRead: true, isWritten: false },
  count: -1,
};
const common = { start: 0, isOrdered: false, values: [value(RAX), value(RSP)] };

it('has rows for the way into a loop and for the way out, and a state for each group', () => {
  const groups: NumberedGroup[] = [
    {
      ...{ ...common, number: 0, accesses: [access, { ...access, address: 0x1044 }] },
      loop: {
        ...{ kind: 'entry', counter: 0, counterStep: 16, stack: 1, certain: 2 },
        steps: [
          { constant: 16, value: 1 },
          { constant: 0, value: -1 },
        ],
      },
    },
    {
      ...{ ...common, number: 1, accesses: [] },
      loop: { kind: 'exit', distance: 1, done: 1, counted: -4 },
    },
    { ...common, number: 2, accesses: [access] },
  ];
  const table = groupTable(groups);
  const rows = [...table.groupIndex].map((at) => {
    const count = table.groups[at]! >>> 16;
    const words = [...table.groups.subarray(at + 2, at + 2 + 4 * count)];
    return Array.from({ length: count }, (_, n) => words.slice(4 * n, 4 * n + 4));
  });
  expect(rows).toEqual([
    [
      [0 | (2 << 8) | (1 << 16), 16, 2, 8],
      [0 | (255 << 8) | (4 << 16), 2 ** 32 - 8, 0, 1],
      [0 | (255 << 8) | (4 << 16), 2 ** 32 - 8, 1, 1],
      [1 | (255 << 8), 16, 0, 0],
      [255 | (255 << 8), 0, 0, 0],
    ],
    [[0 | (1 << 8) | (1 << 16), 2 ** 32 - 4, 0, 16]],
    [[0 | (255 << 8) | (4 << 16), 2 ** 32 - 8, 2, 1]],
  ]);
  expect([...table.sites]).toEqual([0x1040, 0x1044, 0x1040]);
  const states = [...table.groupIndex].map((at) => table.groups[at + 1]);
  expect([...states, table.stateSize]).toEqual([0, 48, 96, 144]);
});
