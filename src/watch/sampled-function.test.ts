import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Candidate, SampledFunction } from './sampled-function.ts';

const RESULTS = ['shared', 'quiet', 'own-stack', 'unwatched', undefined] as const;

it('has sums that are those of its candidates, whatever has become of them', () => {
  const step = fc.record({
    choice: fc.constantFrom('any' as const, 'likely' as const),
    point: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    isGivenBack: fc.boolean(),
    result: fc.constantFrom(...RESULTS),
  });
  fc.assert(
    fc.property(fc.nat(20), fc.array(step, { maxLength: 200 }), (count, steps) => {
      const place = { name: 'f', module: 'm', start: 0x1000n, end: 0x2000n };
      const sampled = new SampledFunction(place, ({ quiet }) => quiet >= 8);
      sampled.takeApart(Array.from({ length: count }, (_, index) => index * 4));
      const planted: Candidate[] = [];
      for (const { choice, point, isGivenBack, result } of steps) {
        const one = isGivenBack ? planted.shift() : undefined;
        const other = isGivenBack ? undefined : sampled.plantOne(choice, point);
        if (one) sampled.giveBack(one, result);
        if (other) planted.push(other);
        const kept = [sampled.weight('any'), sampled.weight('likely')];
        sampled.weighAll();
        expect(kept[0]).toBeCloseTo(sampled.weight('any'), 9);
        expect(kept[1]).toBeCloseTo(sampled.weight('likely'), 9);
      }
      expect(new Set(planted).size).toBe(planted.length);
    }),
  );
});
