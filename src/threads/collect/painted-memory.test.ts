import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PaintedMemory } from './painted-memory.ts';

const PAGES = 3000;
const BASE = 0x7f00_0000_0000;

/** Ranges of all lengths, some in the same few pages. */
const range = fc
  .tuple(fc.nat(PAGES * 4096), fc.oneof(fc.nat(20_000), fc.nat(PAGES * 4096)), fc.nat(9))
  .map(([at, size, color]) => ({
    at,
    size: Math.max(1, Math.min(size, PAGES * 4096 - at)),
    color,
  }));

describe('painted memory', () => {
  it('has in each granule what was painted last', () => {
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 12 }),
        fc.array(fc.nat(PAGES * 4096 - 1)),
        (ranges, asked) => {
          const memory = new PaintedMemory();
          const granules = new Uint8Array((PAGES * 4096) / 8);
          for (const { at, size, color } of ranges) {
            memory.paint(BASE + at, size, color);
            granules.fill(color, at >> 3, ((at + size - 1) >> 3) + 1);
          }
          const edges = ranges.flatMap(({ at, size }) => [
            at - 8,
            at,
            at + size - 1,
            at + size + 7,
          ]);
          for (const at of [...asked, ...edges]) {
            if (at >= 0 && at < PAGES * 4096) expect(memory.at(BASE + at)).toBe(granules[at >> 3]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('sees all colors of a range', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), range, (ranges, { at, size }) => {
        const memory = new PaintedMemory();
        const granules = new Uint8Array((PAGES * 4096) / 8);
        for (const one of ranges) {
          memory.paint(BASE + one.at, one.size, one.color);
          granules.fill(one.color, one.at >> 3, ((one.at + one.size - 1) >> 3) + 1);
        }
        const seen = new Set([0]);
        memory.look(BASE + at, size, (color) => seen.add(color));
        const there = granules.subarray(at >> 3, ((at + size - 1) >> 3) + 1);
        for (const color of new Set(there)) expect(seen).toContain(color);
      }),
      { numRuns: 60 },
    );
  });

  it('takes terabytes in one piece', () => {
    const memory = new PaintedMemory();
    memory.paint(BASE, 2 ** 40, 1);
    memory.paint(BASE + 2 ** 39, 16, 2);
    memory.paint(BASE + 2 ** 30, 2 ** 38, 3);
    expect(memory.at(BASE + 2 ** 39 + 8)).toBe(2);
    expect(memory.at(BASE + 2 ** 39 + 16)).toBe(1);
    expect(memory.at(BASE + 2 ** 30)).toBe(3);
    expect(memory.at(BASE + 2 ** 40)).toBe(0);
  });
});
