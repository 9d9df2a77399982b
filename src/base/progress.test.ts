import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  endProgress,
  listenToProgress,
  type Progress,
  tellingOf,
  tellProgress,
} from './progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

it('is told to who listens, as long as they do', () => {
  const told: (Progress | undefined)[] = [];
  tellProgress('files read', 1, 3);
  const stop = listenToProgress((progress) => told.push(progress));
  tellProgress('files read', 2, 3);
  endProgress();
  endProgress();
  stop();
  tellProgress('files written', 3, 3);
  expect(told).toEqual([{ doing: 'files read', done: 2, total: 3 }, undefined]);
});

it('is not told more often than it can be seen, unless it is about something else', () => {
  const told: string[] = [];
  const stop = listenToProgress((progress) => {
    if (progress) told.push(`${progress.done} ${progress.doing}`);
  });
  for (let done = 0; done < 1000; done++) {
    tellProgress('files read', done, 1000);
    vi.advanceTimersByTime(1);
  }
  tellProgress('files written', 1, 2);
  tellProgress('files read', 1000, 1000);
  stop();
  expect(told).toHaveLength(1000 / 50 + 2);
  expect(told.slice(0, 2)).toEqual(['0 files read', '50 files read']);
  expect(told.slice(-2)).toEqual(['1 files written', '1000 files read']);
});

it('is told of long lists, of which nothing is left out', () => {
  const told: Progress[] = [];
  const stop = listenToProgress((progress) => {
    if (progress) told.push(progress);
  });
  const items = Array.from({ length: 1000 }, (_, place) => place);
  const seen: number[] = [];
  for (const item of tellingOf('items seen', items)) {
    seen.push(item);
    vi.advanceTimersByTime(1);
  }
  stop();
  expect(seen).toEqual(items);
  expect(told.map(({ done }) => done)).toEqual([0, 256, 512, 768]);
  expect(new Set(told.map(({ total }) => total))).toEqual(new Set([1000]));
});
