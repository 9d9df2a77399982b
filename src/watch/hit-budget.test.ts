import { expect, it } from 'vitest';
import { HitBudget, wantedSince } from './hit-budget.ts';

it('hands out as many a second as wanted, and no more after a pause', () => {
  const budget = new HitBudget(50, 0);
  let taken = 0;
  for (let now = 0; now < 10_000; now++) if (budget.take(now)) taken++;
  expect(taken).toBeGreaterThanOrEqual(499);
  expect(taken).toBeLessThanOrEqual(502);
  let afterPause = 0;
  while (budget.take(100_000)) afterPause++;
  expect(afterPause).toBe(2);
  const next = budget.nextAt(100_000);
  expect(budget.take(next - 1)).toBe(false);
  expect(budget.take(next + 1)).toBe(true);
});

it('lets some be owed, and takes them back', () => {
  const budget = new HitBudget(50, 0);
  const owed = Array.from({ length: 10 }, () => budget.take(0, true)).filter((isTaken) => isTaken);
  expect(owed.length).toBeGreaterThan(1);
  expect(owed.length).toBeLessThan(5);
  expect(budget.nextAt(0)).toBeGreaterThan(20);
});

it('wants none for the time in which everybody was stopped', () => {
  expect(wantedSince(1000, 1250, 50)).toBe(12.5);
  expect(wantedSince(1000, 61_000, 50)).toBe(25);
});
