import { expect, it } from 'vitest';
import { Int32List } from './int32-list.ts';

it('keeps what was pushed and set, across growth', () => {
  const list = new Int32List();
  for (let i = 0; i < 1000; i++) list.push(-i);
  list.set(7, 42);
  expect(list.length).toBe(1000);
  expect([list.at(0), list.at(7), list.at(999)]).toEqual([-0, 42, -999].map((n) => n + 0));
});

it('has nothing beyond its end', () => {
  const list = new Int32List();
  list.push(1);
  expect(() => list.at(1)).toThrow('outside');
  expect(() => list.set(1, 5)).toThrow('outside');
  expect(() => list.at(-1)).toThrow('outside');
});
