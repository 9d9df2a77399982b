import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countAtMost } from './ascending.ts';

it('counts those that are at most a limit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(55), (numbers, limit) => {
      const ascending = numbers.sort((a, b) => a - b);
      expect(countAtMost(ascending, limit)).toBe(ascending.filter((one) => one <= limit).length);
    }),
  );
});
