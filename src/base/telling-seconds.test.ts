import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { listenToProgress } from './progress.ts';
import { tellingSeconds } from './telling-seconds.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells the seconds of those that are expected, and of more if there are more', async () => {
  const told: string[] = [];
  const stop = listenToProgress((progress) => {
    told.push(progress ? `${progress.done}/${progress.total} ${progress.doing}` : 'over');
  });
  const work = tellingSeconds(
    () => 'seconds of work',
    2000,
    () => new Promise((done) => setTimeout(() => done('done'), 3200)),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  stop();
  expect(await work).toBe('done');
  expect([...new Set(told)]).toEqual([
    '0/2 seconds of work',
    '1/2 seconds of work',
    '2/3 seconds of work',
    '3/4 seconds of work',
    'over',
  ]);
});
