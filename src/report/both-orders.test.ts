import { expect, it } from 'vitest';
import { bothOrders } from './both-orders.ts';
import type { Race } from './model.ts';

/** `ops` in the order in which they happened; the report has them the other way round. */
function orders(kind: string, ...ops: string[]): { recorded: string; other: string } {
  const accesses = ops
    .map((op, i) => ({ process: 'p', pid: i, thread: i, op, what: '', site: {}, stack: [] }))
    .reverse();
  const race: Race = {
    ...{ id: 'R1', kind, verdict: 'harmful', title: '', occurrences: 1, accesses },
    object: { type: 'file', name: 'f' },
  };
  const { recorded, other } = bothOrders(race);
  const letters = (sides: typeof other): string => sides.map(({ letter }) => letter).join('');
  return { recorded: letters(recorded), other: letters(other) };
}

it('turns two accesses round', () => {
  expect(orders('load-store', 'store', 'load')).toEqual({ recorded: 'AB', other: 'BA' });
});

it('lets the other wakeup end the wait', () => {
  expect(orders('wait-wakeups', 'wakeup', 'wait', 'wakeup').other).toBe('CBA');
  expect(orders('wait-wakeups', 'wakeup', 'wakeup', 'wait').other).toBe('BAC');
});

it('lets the other one who waits get it', () => {
  expect(orders('wakeup-waits', 'wakeup', 'wait', 'wait').other).toBe('ACB');
});

it('lets a signal arrive before what it came after, and after what it came before', () => {
  expect(orders('signal', 'load', 'signal', 'wait').other).toBe('BCA');
  expect(orders('signal', 'signal', 'wait', 'load').other).toBe('CAB');
});
