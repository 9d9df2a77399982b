import { describe, expect, it } from 'vitest';
import { NumberMap } from '../number-map.ts';
import { GranuleIndex } from './granule-index.ts';
import { GranuleTable } from './granule-table.ts';

/** Addresses as programs have them: close together, in areas that are far from each other. */
function granules(count: number): number[] {
  const areas = [0x5555_5555_4000, 0x7fff_ffff_0000, 0x7f00_0000_0000, 0x1000].map((at) => at / 8);
  return Array.from({ length: count }, (_, i) => areas[i % 4]! + ((i * 7919) % count));
}

describe('the tables that are asked for each access', () => {
  it('keep apart who has touched a granule, however many there are', () => {
    const table = new GranuleTable(16);
    const expected = new Map<number, string>();
    for (const [i, granule] of granules(4000).entries()) {
      table.touch(granule, granule % 65_536, false);
      expected.set(granule, 'alone');
      if (i % 3 === 0) {
        table.touch(granule, (granule + 1) % 65_536, i % 2 === 0);
        expected.set(granule, i % 2 === 0 ? 'shared, written' : 'shared');
      }
    }
    const found = new Map<number, string>();
    table.forEach((granule, thread, isShared, isWritten) => {
      const isFirst = thread === granule % 65_536;
      found.set(
        granule,
        !isFirst ? 'of another' : isShared ? (isWritten ? 'shared, written' : 'shared') : 'alone',
      );
    });
    expect(found).toEqual(expected);
  });

  it('find the place of a granule, or the number of an address', () => {
    const sorted = Float64Array.from(new Set(granules(4000))).sort();
    const index = new GranuleIndex(sorted);
    const map = new NumberMap();
    for (const [place, granule] of sorted.entries()) map.add(8 * granule, place);
    const wrong = sorted.filter(
      (granule, place) => index.find(granule) !== place || map.find(8 * granule) !== place,
    );
    expect(wrong).toHaveLength(0);
    expect([index.find(3), map.find(3), map.find(2 ** 50)]).toEqual([-1, -1, -1]);
  });
});
