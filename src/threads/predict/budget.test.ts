/** What the search may spend, with a clock of our own. */
import { expect, it } from 'vitest';
import { NONE } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import { predictRaces } from './predict-races.ts';
import { traceOf, unfolded } from './testdata/events.ts';

/** Only the search can tell of x (variable 0): each pair is behind an update that may come later. */
function candidates(count: number): ThreadTrace {
  const lines = Array.from({ length: count }, (_, i) => [
    `0 write ${2 * i}`,
    `0 atomic-update ${2 * i + 1}`,
    `1 atomic-update ${2 * i + 1}`,
    `1 write ${2 * i}`,
  ]).flat();
  const trace = traceOf(...lines);
  for (let i = 0; i < 2 * count; i++) {
    trace.tables.variables.add({ address: i, size: 1, allocation: NONE, symbol: `v${i}` });
  }
  for (let i = 0; i < 2; i++) trace.tables.threads.add({ name: `t${i}`, process: 1, tid: i });
  return unfolded(trace);
}

it('a search within the budget decides', () => {
  const { undecided, cleared, races } = predictRaces(candidates(3), {
    sound: false,
    budgetMs: 1,
    now: () => 0,
  });
  expect([races.length, undecided.length, cleared]).toEqual([0, 0, 3]);
});

it('what is left when time is up is undecided, and never a race', () => {
  // Each look at the clock takes a millisecond.
  let time = 0;
  const now = () => time++;
  const { undecided, cleared, races } = predictRaces(candidates(9), {
    sound: false,
    budgetMs: 12,
    now,
  });
  expect(races).toEqual([]);
  expect(undecided.length).toBeGreaterThan(0);
  expect(cleared).toBeGreaterThan(0);
  expect(undecided.length + cleared).toBe(9);
});

it('what a window does not show is told apart, and so are accesses that are too far apart for one', () => {
  const trace = candidates(2);
  const near = predictRaces(trace, { sound: false, budgetMs: 1, now: () => 0, windowLength: 4 });
  expect(near).toMatchObject({ races: [], cleared: 0, clearedNearby: 2 });
  const far = predictRaces(trace, { sound: false, budgetMs: 1, now: () => 0, windowLength: 3 });
  expect(far.undecided).toHaveLength(2);
});

it('no more races are told than anybody could read of', () => {
  const lines = Array.from({ length: 12 }, (_, i) => `${i % 2} write 0`);
  const trace = unfolded(traceOf(...lines));
  trace.tables.variables.add({ address: 0, size: 4, allocation: NONE, symbol: 'x' });
  const all = predictRaces(trace, { sound: false, budgetMs: 1 });
  const few = predictRaces(trace, { sound: false, budgetMs: 1, mostTold: 5 });
  expect(all.untold).toBe(0);
  expect([few.races.length, few.untold]).toEqual([5, all.races.length - 5]);
});

it('what is left when the user has enough is undecided', () => {
  const isStopped = () => true;
  const { undecided, cleared } = predictRaces(candidates(3), {
    sound: false,
    budgetMs: Number.POSITIVE_INFINITY,
    isStopped,
  });
  expect([undecided.length, cleared]).toEqual([3, 0]);
});
