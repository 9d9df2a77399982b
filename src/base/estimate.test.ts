import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Estimate } from './estimate.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (seconds: number): unknown => vi.advanceTimersByTime(seconds * 1000);

it('knows nothing before something is done, and runs down afterwards', () => {
  const estimate = new Estimate(0);
  estimate.update(0, 4);
  pass(10);
  expect(estimate.secondsLeft()).toBeUndefined();
  estimate.update(1, 4);
  expect(estimate.secondsLeft()).toBe(30);
  pass(4);
  expect(estimate.secondsLeft()).toBe(26);
  pass(100);
  expect(estimate.secondsLeft()).toBe(1);
});

it('does not count what was done before it began', () => {
  const estimate = new Estimate(90);
  pass(5);
  estimate.update(95, 100);
  expect(estimate.secondsLeft()).toBe(5);
});
