import { expect, it } from 'vitest';
import { MODELLED_CALLS } from './model.ts';
import { RECORDED_CALLS } from './recorded-calls.ts';
import { ONLY_FOR_ORDER, ONLY_FOR_THE_CALLER } from './without-model.ts';

it('each recorded call has a model, or a reason to have none', () => {
  const placed = [...MODELLED_CALLS, ...ONLY_FOR_ORDER, ...ONLY_FOR_THE_CALLER].sort();
  expect(placed).toEqual(Object.keys(RECORDED_CALLS).sort());
});
