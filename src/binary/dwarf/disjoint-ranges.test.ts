import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DisjointRanges, lastAtOrBelow } from './disjoint-ranges.ts';

const range = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([low, length]) => ({ low, high: low + length }));

describe('disjoint ranges', () => {
  it('find what an address is in, whoever begins first', () => {
    fc.assert(
      fc.property(fc.array(range), fc.integer({ min: -1, max: 80 }), (ranges, address) => {
        const all = ranges.map((one, value) => ({ ...one, value }));
        const found = new DisjointRanges(all).find(address);
        const holding = all.filter(({ low, high }) => address >= low && address < high);
        if (found === undefined) expect(holding).toEqual([]);
        else expect(holding.map(({ value }) => value)).toContain(found);
        const first = Math.min(...holding.map(({ low }) => low));
        if (holding.length > 0 && !ranges.some(({ low, high }) => low < first && high > first))
          expect(all[found!]!.low).toBe(first);
      }),
    );
  });

  it('leaves to the later one what the earlier does not have', () => {
    const ranges = new DisjointRanges([
      { low: 10, high: 20, value: 'first' },
      { low: 15, high: 30, value: 'second' },
      { low: 12, high: 14, value: 'within' },
    ]);
    expect([9, 10, 13, 19, 20, 29, 30].map((at) => ranges.find(at))).toEqual([
      undefined,
      'first',
      'first',
      'first',
      'second',
      'second',
      undefined,
    ]);
  });
});

it('the last number at or below another, within a part of the list', () => {
  expect(lastAtOrBelow([5, 1, 3, 3, 9], 3, 1, 4)).toBe(3);
  expect(lastAtOrBelow([5, 1, 3, 3, 9], 0, 1, 4)).toBe(0);
  expect(lastAtOrBelow([5, 1, 3, 3, 9], 99, 1, 4)).toBe(3);
});
