import { expect, it } from 'vitest';
import { threadsFor } from './thread-count.ts';

it('a race that waits is worth more than a second run', () => {
  expect(threadsFor(9, { jobs: 4, spareRuns: 0 })).toEqual({ needed: 4, useful: 4 });
});

it('jobs that no race needs make second runs', () => {
  expect(threadsFor(3, { jobs: 4, spareRuns: 0 })).toEqual({ needed: 3, useful: 4 });
});

it('so do processors that are idle', () => {
  expect(threadsFor(9, { jobs: 1, spareRuns: 1 })).toEqual({ needed: 1, useful: 2 });
});

it('each race has only one second run at a time', () => {
  expect(threadsFor(1, { jobs: 8, spareRuns: 8 })).toEqual({ needed: 1, useful: 2 });
});
