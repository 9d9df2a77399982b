import { describe, expect, it } from 'vitest';
import { medianLimits } from './measure.ts';

/** How often the limits are on both sides of the median, if each sample is below it or above it by a coin. */
function shareThatIsRight(count: number, narrower: number): number {
  const places = Array.from({ length: count }, (_, place) => place);
  const [low, high] = medianLimits(places) as [number, number];
  let right = 0;
  for (let coins = 0; coins < 2 ** count; coins++) {
    const below = places.filter((place) => (coins & (1 << place)) !== 0).length;
    if (below > low + narrower && below <= high - narrower) right++;
  }
  return right / 2 ** count;
}

describe('the limits of a median', () => {
  it.each([5, 6, 9, 12, 15])(
    'are right nine times in ten, and no wider than that, of %i samples',
    (count) => {
      expect(shareThatIsRight(count, 0)).toBeGreaterThanOrEqual(0.9);
      expect(shareThatIsRight(count, 1)).toBeLessThan(0.9);
    },
  );

  it('are all that there is of few samples', () => {
    expect(medianLimits([3, 1, 2])).toEqual([1, 3]);
  });
});
