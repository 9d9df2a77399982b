import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE } from '../model/op.ts';
import { FoldedPairs } from './folded-pairs.ts';

const sites = fc.oneof(fc.nat(12), fc.constant(NONE));
const pairs = fc.array(fc.tuple(fc.nat(4), sites, sites), { maxLength: 400, size: 'max' });

describe('folded pairs', () => {
  it('are one for each variable and two sites, with the first and a count', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const folded = new FoldedPairs(1000);
        const expected = new Map<string, { event: number; occurrences: number }>();
        for (const [event, [variable, one, other]] of list.entries()) {
          folded.add(variable, event, 1, 0, one, event + 1000, 2, 1, other);
          const key = `${variable} ${[one, other].sort((a, b) => a - b)}`;
          const known = expected.get(key) ?? { event, occurrences: 0 };
          expected.set(key, { ...known, occurrences: known.occurrences + 1 });
        }
        const seen = [...folded.all()].map(({ first, occurrences }) => ({
          event: first.event,
          occurrences,
        }));
        expect(seen).toEqual([...expected.values()]);
        expect(list.every((one) => folded.has(...one))).toBe(true);
        expect(folded.has(9, 0, 0)).toBe(false);
      }),
    );
  });

  it('are counted without being kept when a variable has enough', () => {
    const folded = new FoldedPairs(2);
    for (const site of [1, 2, 3, 1]) folded.add(0, site, 1, 0, site, 9, 2, 1, 0);
    folded.add(1, 5, 1, 0, 5, 9, 2, 1, 0);
    expect([...folded.all()].map(({ first, occurrences }) => [first.site, occurrences])).toEqual([
      [1, 2],
      [2, 1],
      [5, 1],
    ]);
    expect(folded.unfolded).toBe(1);
  });
});
