import { expect, it } from 'vitest';
import { LINKS } from '../report/html/picture.ts';
import type { Race } from '../report/model.ts';
import { NONE, Op } from './model/op.ts';
import { ThreadTrace } from './model/trace.ts';
import { drawThreads } from './picture.ts';

const [MAIN, WORKER] = [0, 1];
const [COUNTER, OTHER] = [0, 1];
const M = 0;

function traced(...events: readonly [thread: number, op: number, target: number][]): ThreadTrace {
  const trace = new ThreadTrace();
  const { threads, locks, variables } = trace.tables;
  for (const [i, name] of ['main', 'worker'].entries())
    threads.add({ name, process: 9, tid: 9 + i });
  locks.add({ kind: 'mutex', address: 1, symbol: 'm' });
  for (const symbol of ['counter', 'other']) {
    variables.add({ address: 8, size: 4, allocation: NONE, symbol });
  }
  for (const [thread, op, target] of events) trace.append(thread, op, target, NONE);
  return trace;
}

function raceOf(...events: [number, number]): Race {
  const access = { process: 'p', pid: 9, thread: 9, op: 'write', what: '', site: {}, stack: [] };
  return {
    ...{ id: 'R1', kind: 'data-race', verdict: 'predicted', title: '', occurrences: 1 },
    object: { type: 'memory', name: 'counter' },
    accesses: events.map((event) => ({ ...access, event })),
  };
}

const trace = traced(
  [MAIN, Op.fork, WORKER],
  [WORKER, Op.begin, WORKER],
  [WORKER, Op.acquire, M],
  [WORKER, Op.write, COUNTER],
  [WORKER, Op.write, OTHER],
  [WORKER, Op.release, M],
  [MAIN, Op.write, COUNTER],
  [WORKER, Op.end, WORKER],
  [MAIN, Op.join, WORKER],
);
const picture = drawThreads(trace, [raceOf(6, 3)]);

it('marks synchronisation and what is raced for, and nothing else', () => {
  expect(picture.marks.event).toEqual([0, 1, 2, 3, 5, 6, 7, 8]);
  expect(picture.marks.text.map((text) => picture.texts[text])).toContain('write counter');
});

it('has a bar for a lock, as long as it is held', () => {
  expect(picture.bars).toEqual([{ lane: WORKER, from: 2, to: 4, label: 'm' }]);
});

it('knows which locks each side held', () => {
  expect(picture.held).toEqual({ R1: [[], ['m']] });
});

it('links forks and joins', () => {
  const { from, to, kind } = picture.links;
  const events = (places: readonly number[]) => places.map((place) => picture.marks.event[place]);
  expect(events(from)).toEqual([0, 7]);
  expect(events(to)).toEqual([1, 8]);
  expect(kind.map((one) => LINKS[one])).toEqual(['birth', 'wait']);
});

it('knows the locks even if they were taken far before what is drawn', () => {
  const long = traced(
    [WORKER, Op.acquire, M],
    ...Array.from({ length: 50 }, () => [MAIN, Op.fork, WORKER] as [number, number, number]),
    [WORKER, Op.write, COUNTER],
    [MAIN, Op.write, COUNTER],
  );
  const near = drawThreads(long, [raceOf(52, 51)], 10);
  expect(near.leftOut).toBeGreaterThan(30);
  expect(near.held).toEqual({ R1: [[], ['m']] });
  expect(near.bars).toEqual([
    { lane: WORKER, from: 0, to: near.marks.event.length - 1, label: 'm' },
  ]);
});
