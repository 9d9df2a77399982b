import { expect, it } from 'vitest';
import { bothOrders } from './both-orders.ts';
import type { Race } from './model.ts';

/** `ops` in the order in which they happened; the report has them the other way round. */
function orders(kind: string, ...ops: string[]): { recorded: string; other: string } {
  const { recorded, other } = bothOrders(raceOf(kind, ...ops.map((op) => [op, ''] as const)));
  const letters = (sides: typeof other): string => sides.map(({ letter }) => letter).join('');
  return { recorded: letters(recorded), other: letters(other) };
}

/** The same, with what each does. */
function raceOf(kind: string, ...sides: (readonly [op: string, what: string])[]): Race {
  const accesses = sides
    .map(([op, what], i) => ({ process: 'p', pid: i, thread: i, op, what, site: {}, stack: [] }))
    .reverse();
  return {
    ...{ id: 'R1', kind, verdict: 'harmful', title: '', occurrences: 1, accesses },
    object: { type: 'file', name: 'f' },
  };
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

it.each([
  ['wait4(-1) = 172', 'wait4(-1)'],
  ['openat("version.h", O_RDONLY) = ENOENT', 'openat("version.h", O_RDONLY)'],
  ['openat("f() = 1", O_RDONLY)', 'openat("f() = 1", O_RDONLY)'],
])('does not say of the other order what was found in this one: %s', (what, otherwise) => {
  const told = (op: string): string[][] => {
    const race = raceOf('wait-wakeups', ['wakeup', 'exit(0)'], [op, what], ['wakeup', 'exit(0)']);
    const { recorded, other } = bothOrders(race);
    return [recorded, other].map((sides) => sides.map(({ access }) => access.what));
  };
  for (const op of ['wait', 'load']) {
    expect(told(op)).toEqual([
      ['exit(0)', what, 'exit(0)'],
      ['exit(0)', otherwise, 'exit(0)'],
    ]);
  }
  expect(told('store')[1]).toContain(what);
});
