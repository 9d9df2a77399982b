import { expect, it } from 'vitest';
import { IdleProcessors, type ProcessorTimes } from './idle-processors.ts';

/** What it counts if this passed from one look to the next. */
function countIf(elapsedMs: number, idleMs: number, usable: number, busyMs = 0): number {
  const looks: ProcessorTimes[] = [
    { nowMs: 500, idleMs: 9000, usable },
    { nowMs: 500 + elapsedMs, idleMs: 9000 + idleMs, usable },
  ];
  return new IdleProcessors(() => looks.shift()!).countWithout(busyMs);
}

it('counts by how long each had nothing to do', () => expect(countIf(100, 170, 2)).toBe(1.7));

it('counts none that may not be used', () => expect(countIf(100, 6000, 2)).toBe(2));

it('knows of none before any time has passed', () => expect(countIf(0, 0, 2)).toBe(0));

it('counts those that only something passing kept busy', () =>
  expect(countIf(100, 90, 2, 60)).toBe(1.5));

it('reads the machine’s own times', async () => {
  const idle = new IdleProcessors();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(idle.count).toBeGreaterThanOrEqual(0);
});
