import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nanoseconds, tid } from '../../../linux/ids.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { EVENT_NUMBERS, EventOrder } from './event-order.ts';

const record = (sequence: number): TraceRecord => ({
  kind: 'exit',
  sequence,
  time: nanoseconds(0),
  tid: tid(1),
  status: 0,
});

function ordered() {
  const passed: number[] = [];
  const order = new EventOrder((next) => passed.push((next as { sequence: number }).sequence));
  return {
    passed,
    order,
    add: (event: number) => order.add(event % EVENT_NUMBERS, [record(event)]),
  };
}

describe('EventOrder', () => {
  it('holds an event back until those before it are there', () => {
    const { passed, order, add } = ordered();
    add(0);
    add(2);
    expect(passed).toEqual([0]);
    expect(order.isWaiting).toBe(true);
    add(1);
    expect(passed).toEqual([0, 1, 2]);
    expect(order.isWaiting).toBe(false);
  });

  it('goes on without what was dropped', () => {
    const { passed, order, add } = ordered();
    for (const event of [0, 5, 3, 7]) add(event);
    order.giveUp();
    expect(passed).toEqual([0, 3, 5, 7]);
    add(8);
    expect(passed).toEqual([0, 3, 5, 7, 8]);
  });

  it('restores the order of any arrival', () => {
    const arrivals = fc.integer({ min: 1, max: 60 }).chain((count) =>
      fc.shuffledSubarray(
        Array.from({ length: count }, (_, index) => index),
        { minLength: count },
      ),
    );
    fc.assert(
      fc.property(arrivals, (events) => {
        const { passed, order, add } = ordered();
        for (const event of events) add(event);
        expect(order.isWaiting).toBe(false);
        expect(passed).toEqual([...events].sort((one, other) => one - other));
      }),
    );
  });

  it('counts on past the largest event number', () => {
    const { passed, add } = ordered();
    for (let event = 0; event < EVENT_NUMBERS - 1; event++) add(event);
    passed.length = 0;
    for (const event of [1, -1, 0, 2]) add(EVENT_NUMBERS + event);
    expect(passed.map((sequence) => sequence - EVENT_NUMBERS)).toEqual([-1, 0, 1, 2]);
  });
});
