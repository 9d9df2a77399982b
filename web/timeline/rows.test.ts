import { describe, expect, it } from 'vitest';
import { isUnderFolded, rowsOf, withAncestors } from './rows.ts';

/** make, with sh (and its cc1) and another sh. */
const lanes = [
  { name: 'make', number: '3' },
  { name: 'sh', number: '4', parent: 0 },
  { name: 'cc1', number: '6', parent: 1 },
  { name: 'sh', number: '5', parent: 0 },
];

describe('rows', () => {
  it('are all lanes, each as deep as it is in the tree', () => {
    const { rows } = rowsOf(lanes, () => true);
    expect(rows.map(({ lane, depth }) => [lane, depth])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [3, 1],
    ]);
  });

  it('have those folded into them that are not shown', () => {
    const { rows, rowOf } = rowsOf(lanes, (lane) => lane === 0 || lane === 3);
    expect(rows).toEqual([
      { lane: 0, depth: 0, folded: 2 },
      { lane: 3, depth: 1, folded: 0 },
    ]);
    expect([...rowOf]).toEqual([0, 0, 0, 1]);
  });

  it('leave out what has nobody above it that is shown', () => {
    expect([...rowsOf(lanes, (lane) => lane === 3).rowOf]).toEqual([-1, -1, -1, 0]);
  });
});

it('shows a lane with those that lead to it', () => {
  expect([...withAncestors(lanes, [2])].sort()).toEqual([0, 1, 2]);
});

it('hides all that is below a folded lane, however deep', () => {
  const hidden = lanes.map((_, lane) => isUnderFolded(lanes, new Set([0]), lane));
  expect(hidden).toEqual([false, true, true, true]);
});
