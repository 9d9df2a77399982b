import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Weights } from './weights.ts';

/** The plain way. */
function picked(weights: readonly number[], point: number): number | undefined {
  let rest = point * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [at, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return at;
  }
  return undefined;
}

describe('weights', () => {
  it('picks as a walk along all of them does, also after changes', () => {
    const weights = fc.array(fc.nat(9), { maxLength: 40 });
    const changes = fc.array(fc.tuple(fc.nat(39), fc.nat(9)), { maxLength: 20 });
    fc.assert(
      fc.property(weights, changes, fc.nat(999), (start, changed, thousandths) => {
        const plain = [...start];
        const tree = new Weights(start);
        for (const [index, weight] of changed.filter(([index]) => index < plain.length)) {
          plain[index] = weight;
          tree.set(index, weight);
        }
        expect(tree.pick(thousandths / 1000)).toBe(picked(plain, thousandths / 1000));
        expect(tree.total).toBe(plain.reduce((sum, weight) => sum + weight, 0));
      }),
    );
  });
});
