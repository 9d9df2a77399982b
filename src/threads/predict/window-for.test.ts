import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWhole, windowFor } from './window-for.ts';

describe('a window', () => {
  it('is all of a short trace', () => {
    expect(windowFor(3, 90, 100, 100)).toEqual({ from: 0, to: 100 });
    expect(isWhole({ from: 0, to: 100 }, 100)).toBe(true);
    expect(isWhole({ from: 0, to: 100 }, 101)).toBe(false);
  });

  it('is the worked example', () => {
    expect(windowFor(23_100, 24_000, 1_000_000, 10_000)).toEqual({ from: 15_000, to: 25_000 });
  });

  it('has both accesses, and nothing where that is not possible', () => {
    const numbers = fc.record({
      length: fc.integer({ min: 2, max: 300 }),
      one: fc.nat(299),
      other: fc.nat(299),
      most: fc.integer({ min: 2, max: 100 }),
    });
    fc.assert(
      fc.property(numbers, ({ length, one, other, most }) => {
        const [first, second] = [one % length, other % length];
        const window = windowFor(first, second, length, most);
        const distance = Math.abs(first - second);
        if (window === undefined) {
          expect(distance).toBeGreaterThanOrEqual(Math.ceil(most / 2));
          return;
        }
        const { from, to } = window;
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(length);
        expect(to - from).toBeLessThanOrEqual(Math.max(most, length <= most ? length : 0));
        for (const event of [first, second]) {
          expect(event).toBeGreaterThanOrEqual(from);
          expect(event).toBeLessThan(to);
        }
      }),
    );
  });
});
