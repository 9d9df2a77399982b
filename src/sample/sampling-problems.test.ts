import { expect, it } from 'vitest';
import { hooksOverBudget } from './sampling-problems.ts';

it('hooks that take more than the budget are told, with how much it was', () => {
  const budget = 0.02;
  expect(hooksOverBudget({ budget, cost: { ofSamples: 0.03, ofHooks: 0.02 } })).toEqual([]);
  expect(hooksOverBudget({ cost: { ofSamples: 0, ofHooks: 0.5 } })).toEqual([]);
  const [text] = hooksOverBudget({ budget, cost: { ofSamples: 0.001, ofHooks: 0.4231 } });
  expect(text).toMatch(/took about 42% of the time, more than the budget of 2%, .*--window/);
});
