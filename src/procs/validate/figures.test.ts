import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Stopwatch } from './figures.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells of each race what it took, and when its verdict was reached', () => {
  const stopwatch = new Stopwatch();
  vi.advanceTimersByTime(400);
  stopwatch.note('R2', { kind: 'benign', attempts: 1, milliseconds: 300.4 });
  vi.advanceTimersByTime(100);
  stopwatch.note('R1', { kind: 'diverged', attempts: 2, milliseconds: 99.6 });
  vi.advanceTimersByTime(50);
  expect(stopwatch.figures(120.2)).toEqual({
    milliseconds: 550,
    recordedOrder: 120,
    races: {
      R1: { verdict: 'diverged', attempts: 2, milliseconds: 100, after: 500 },
      R2: { verdict: 'benign', attempts: 1, milliseconds: 300, after: 400 },
    },
  });
});

it('leaves out the recorded order where it could not be run', () => {
  expect(new Stopwatch().figures(undefined)).toEqual({ milliseconds: 0, races: {} });
});
