/** From events to steps: what is inferred, and what a trace may lack or have too much of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NONE, Op } from '../../model/op.ts';
import { ThreadTrace } from '../../model/trace.ts';
import {
  FURTHER_OPS,
  PLAIN_OPS,
  play,
  SHARED_OPS,
  wishes,
} from '../../std/testdata/random-trace.ts';
import { Machine } from '../search/machine.ts';
import { groupedBy } from './grouped.ts';
import { StartValues, Waiting } from './start-values.ts';
import { TraceSteps } from './trace-steps.ts';

function traceOf(...events: readonly (readonly [thread: number, op: Op, target: number])[]) {
  const trace = new ThreadTrace();
  for (const [thread, op, target] of events) trace.append(thread, op, target, NONE);
  return trace;
}

function stepsOf(...events: readonly (readonly [thread: number, op: Op, target: number])[]) {
  return new TraceSteps(traceOf(...events)).all.map(
    ({ thread, kind, need }) => `T${thread} ${kind}${need === 0 ? '' : ` ${need}`}`,
  );
}

/** Whether a machine can do all steps in the order of the trace, for some choice of whom signals wake. */
function isPossible(trace: ThreadTrace): boolean {
  const all = new TraceSteps(trace);
  const machine = new Machine({
    racing: [0, 1],
    steps: new Map([[0, []], [1, []], ...groupedBy(all.all, 'thread')]),
    start: new StartValues(all, 0),
    stops: [[], []],
    isSound: false,
  });
  const chains = new Map(machine.chains.map(({ thread }, chain) => [thread, chain]));
  let rows = [machine.start];
  for (const { thread } of all.all) {
    const chain = chains.get(thread)!;
    const possible = rows.filter((row) => machine.isEnabled(row, chain));
    rows = possible.flatMap((row) => {
      const wakes = machine.wakes(row, chain);
      return (wakes.length === 0 ? [undefined] : wakes).map((wake) => {
        const next = row.slice();
        machine.take(next, chain, wake);
        return next;
      });
    });
    rows = [...new Map(rows.map((row) => [row.join(), row])).values()];
  }
  return rows.length > 0;
}

describe('steps of locks', () => {
  it('are one for each time that others notice', () => {
    expect(
      stepsOf([0, Op.acquire, 1], [0, Op.acquire, 1], [0, Op.release, 1], [0, Op.release, 1]),
    ).toEqual(['T0 lock', 'T0 unlock']);
    expect(
      stepsOf(
        [0, Op.acquireShared, 1],
        [0, Op.acquireShared, 1],
        [0, Op.releaseShared, 1],
        [0, Op.releaseShared, 1],
      ),
    ).toEqual(['T0 lockShared', 'T0 unlockShared']);
  });

  it('begin with a lock that is held already', () => {
    const steps = new TraceSteps(traceOf([2, Op.release, 1], [3, Op.acquire, 1]));
    expect(steps.all.map(({ kind }) => kind)).toEqual(['unlock', 'lock']);
    expect(new StartValues(steps, 0).of('lock', 1)).toBe(3);
    const shared = new TraceSteps(traceOf([2, Op.releaseShared, 1], [3, Op.releaseShared, 1]));
    expect(new StartValues(shared, 0).of('lock', 1)).toBe(-2);
  });

  it('free a lock whose holder has died with it', () => {
    expect(stepsOf([0, Op.acquire, 1], [1, Op.acquire, 1])).toEqual([
      'T0 lock',
      'T0 unlock',
      'T1 lock',
    ]);
  });
});

describe('steps of threads', () => {
  it('begin after a fork and end before a join, also without events of their own', () => {
    expect(stepsOf([0, Op.fork, 1], [1, Op.write, 0], [0, Op.join, 1], [1, Op.end, 1])).toEqual([
      'T0 fork',
      'T1 begin',
      'T1 end',
      'T0 join',
    ]);
    expect(stepsOf([0, Op.fork, 1], [0, Op.join, 1])).toEqual([
      'T0 fork',
      'T1 begin',
      'T1 end',
      'T0 join',
    ]);
    expect(stepsOf([1, Op.begin, 1], [1, Op.end, 1])).toEqual([]);
  });
});

describe('steps of conditions', () => {
  const wait = (thread: number) =>
    [
      [thread, Op.waitBegin, 5],
      [thread, Op.release, 0],
    ] as const;
  const goOn = (thread: number) =>
    [
      [thread, Op.acquire, 0],
      [thread, Op.release, 0],
      [thread, Op.waitEnd, 5],
    ] as const;

  it('are woken before the mutex is taken again, by the signal that fits', () => {
    const events = [
      [0, Op.acquire, 0],
      ...wait(0),
      [2, Op.signal, 5],
      [0, Op.acquire, 0],
      [0, Op.waitEnd, 5],
    ] as const;
    expect(stepsOf(...events)).toEqual([
      'T0 lock',
      'T0 waitBegin',
      'T0 unlock',
      'T2 signal',
      'T0 woken 3',
      'T0 lock',
      'T0 waitEnd',
    ]);
  });

  it('have lapsed if there are fewer signals than waits', () => {
    const kinds = (...signals: readonly (readonly [number, Op, number])[]) =>
      stepsOf(...wait(0), ...wait(1), ...signals, ...goOn(1), ...goOn(0)).filter((step) =>
        /woken|lapsed/.test(step),
      );
    expect(kinds()).toEqual(['T1 lapsed', 'T0 lapsed']);
    expect(kinds([2, Op.signal, 5])).toEqual(['T1 woken 4', 'T0 lapsed']);
    expect(kinds([2, Op.signal, 5], [2, Op.signal, 5])).toEqual(['T1 woken 4', 'T0 woken 5']);
    expect(kinds([2, Op.broadcast, 5])).toEqual(['T1 woken 4', 'T0 woken 4']);
    expect(kinds([2, Op.broadcast, 6])).toEqual(['T1 lapsed', 'T0 lapsed']);
  });

  it('have been woken before a window that begins in between', () => {
    const signalled = [...wait(0), ...wait(1), [2, Op.signal, 5], [2, Op.write, 0]] as const;
    const trace = traceOf(...signalled, ...goOn(1), ...goOn(0));
    const start = new StartValues(new TraceSteps(trace), 5);
    expect(start.waiting(5, 1)).toBe(Waiting.woken);
    expect(start.waiting(5, 0)).toBe(Waiting.yes);
    expect(new StartValues(new TraceSteps(trace), 4).waiting(5, 1)).toBe(Waiting.yes);
  });
});

describe('steps of counted things', () => {
  it('know the least count that a semaphore can have had', () => {
    const trace = traceOf(
      [0, Op.waitDone, 1],
      [0, Op.post, 1],
      [0, Op.waitDone, 1],
      [1, Op.waitDone, 1],
    );
    expect(new StartValues(new TraceSteps(trace), 0).of('semaphore', 1)).toBe(2);
  });

  it('need the arrivals of their round at a barrier', () => {
    const round = (...order: readonly number[]) => [
      ...order.map((thread) => [thread, Op.arrive, 1] as const),
      ...order.map((thread) => [thread, Op.leave, 1] as const),
    ];
    expect(stepsOf(...round(0, 1), ...round(1, 0))).toEqual([
      'T0 arrive',
      'T1 arrive',
      'T0 leave 2',
      'T1 leave 2',
      'T1 arrive 2',
      'T0 arrive 2',
      'T1 leave 4',
      'T0 leave 4',
    ]);
  });

  it('keep their order if rounds cannot be told', () => {
    expect(
      stepsOf([0, Op.arrive, 1], [0, Op.leave, 1], [1, Op.arrive, 1], [2, Op.leave, 1]),
    ).toEqual(['T0 arrive', 'T0 leave 1', 'T1 arrive 1', 'T2 leave 2']);
  });

  it('pass what is done once after it was done as often', () => {
    expect(
      stepsOf(
        [0, Op.onceBegin, 1],
        [0, Op.onceEnd, 1],
        [1, Op.onceBegin, 1],
        [1, Op.onceEnd, 1],
        [2, Op.oncePass, 1],
      ),
    ).toEqual(['T0 onceBegin', 'T0 onceEnd', 'T1 onceBegin', 'T1 onceEnd', 'T2 oncePass 2']);
  });

  it('find the stores that they found', () => {
    expect(
      stepsOf(
        [0, Op.atomicRead, 1],
        [0, Op.atomicWrite, 1],
        [1, Op.atomicUpdate, 1],
        [0, Op.atomicRead, 1],
      ),
    ).toEqual(['T0 load', 'T0 store', 'T1 update 1', 'T0 load 2']);
  });

  it('need no atomic store if they found another one', () => {
    const events = [
      [0, Op.atomicWrite, 1],
      [1, Op.write, 1],
      [0, Op.atomicRead, 1],
      [1, Op.atomicUpdate, 1],
      [0, Op.atomicRead, 1],
    ] as const;
    expect(stepsOf(...events)).toEqual(['T0 store', 'T1 store', 'T0 load 2']);
  });
});

describe('any trace', () => {
  it('is one of the orders that its steps allow, even if it breaks rules', () => {
    fc.assert(
      fc.property(wishes([...PLAIN_OPS, ...SHARED_OPS, ...FURTHER_OPS]), (list) => {
        const trace = play(list);
        expect(isPossible(trace)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
