import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plotScale } from './plot-scale.ts';

const ratios = fc.array(fc.double({ min: 0.01, max: 5000, noNaN: true }), { minLength: 1 });

describe('the scale of a plot', () => {
  it('has every bar seen, and the largest as long as there is room', () => {
    fc.assert(
      fc.property(ratios, (all) => {
        const { lengthOf } = plotScale(all, 400);
        expect(lengthOf(Math.max(...all))).toBeCloseTo(400);
        for (const ratio of all) expect(lengthOf(ratio)).toBeGreaterThan(10);
      }),
    );
  });

  it('has a few lines, none outside, with room for their figures', () => {
    fc.assert(
      fc.property(ratios, (all) => {
        const { ticks, lengthOf } = plotScale(all, 400);
        expect(ticks.length).toBeGreaterThan(1);
        const places = ticks.map(lengthOf);
        expect(places.at(-1)).toBeLessThanOrEqual(400.001);
        for (let at = 1; at < places.length; at++) {
          expect(places[at]! - places[at - 1]!).toBeGreaterThan(24);
        }
      }),
    );
  });
});
