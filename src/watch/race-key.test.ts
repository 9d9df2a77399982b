import { expect, it } from 'vitest';
import type { Race, Site } from '../report/model.ts';
import { raceKey } from './race-key.ts';

const VECTOR: Site = { file: '/usr/include/c++/12/bits/stl_vector.h', line: 1126, address: '0x10' };
const at = (file: string, line: number, address: string): Site => ({ file, line, address });

/** Of two sides, each with the functions of its stack. */
const race = (...stacks: Site[][]): Pick<Race, 'accesses'> => ({
  accesses: stacks.map((stack) => ({
    ...{ process: 'p', pid: 1, thread: 1, op: 'load', what: '', site: stack[0] ?? {}, stack },
  })),
});

it('takes both orders, and all instructions of a line, for the same', () => {
  const [one, other] = [at('a.c', 1, '0x1'), at('a.c', 2, '0x2')];
  const key = raceKey(race([one], [other]), '');
  expect(raceKey(race([other], [at('a.c', 1, '0x7')]), '')).toBe(key);
  expect(raceKey(race([one], [one]), '')).not.toBe(key);
});

it('takes variables apart, but not the elements of one', () => {
  const same = race([at('a.c', 1, '0x1')], [at('a.c', 1, '0x1')]);
  expect(raceKey(same, 'first')).not.toBe(raceKey(same, 'second'));
  expect(raceKey(same, 'table[3].next')).toBe(raceKey(same, 'table[14].next'));
  expect(raceKey(same, 'table')).toBe(raceKey(same, 'table+16'));
  expect(raceKey(same, 'table[3].next')).not.toBe(raceKey(same, 'table[3].last'));
});

it('knows what was inlined from a header by where it went', () => {
  const into = (line: number): Site[] => [VECTOR, at('a.cc', line, '0x10'), at('m.cc', 1, '0x99')];
  expect(raceKey(race(into(6), into(7)), '')).not.toBe(raceKey(race(into(8), into(9)), ''));
  // A function that was called is not what it was inlined into.
  const called = (line: number): Site[] => [VECTOR, at('a.cc', line, '0x20')];
  expect(raceKey(race(called(6), called(6)), '')).toBe(raceKey(race(called(7), called(7)), ''));
  // The program's own is known by its line, however many call it.
  const own = (line: number): Site[] => [at('b.cc', 3, '0x10'), at('a.cc', line, '0x10')];
  expect(raceKey(race(own(6), own(6)), '')).toBe(raceKey(race(own(7), own(7)), ''));
});
