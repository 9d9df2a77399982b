import { expect, it } from 'vitest';
import type { Race } from '../../src/report/model.ts';
import { walkOf } from './witness.ts';

const side = (threadName: string, op: string) => ({
  ...{ process: 'p', pid: 1, thread: 1, threadName, op, what: '', site: {}, stack: [] },
});
const step = (threadName: string, what: string) => ({ pid: 1, thread: 1, threadName, what });

const race: Race = {
  ...{ id: 'R1', kind: 'data-race', verdict: 'predicted', title: '', occurrences: 1 },
  object: { type: 'memory', name: 'x' },
  accesses: [side('worker', 'read'), side('main', 'write')],
  steps: [
    step('main', 'fork worker'),
    step('worker', 'acquire m'),
    step('worker', 'acquire n, place 4'),
    step('worker', 'release m'),
  ],
};

it('walks through the steps, and then to both accesses', () => {
  const { lanes, steps } = walkOf(race);
  expect(lanes).toEqual(['main', 'worker']);
  expect(steps.slice(-2)).toEqual([
    { lane: 0, what: 'write x', site: {}, side: 0 },
    { lane: 1, what: 'read x', site: {}, side: 1 },
  ]);
});

it('knows from where to where a lock is held', () => {
  expect(walkOf(race).held).toEqual([
    { lane: 1, lock: 'm', from: 1, to: 3, level: 0 },
    { lane: 1, lock: 'n', from: 2, to: 5, level: 1 },
  ]);
});
