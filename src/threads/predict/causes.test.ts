import { describe, expect, it } from 'vitest';
import { NONE, Op } from '../model/op.ts';
import { TraceTables } from '../model/tables.ts';
import { Causes, foldByCause } from './causes.ts';
import type { Race, Rung } from './race.ts';

/** Sites 0 and 1 are of one line, 2 of another, 3 and 4 of none. */
function tables(): TraceTables {
  const made = new TraceTables();
  for (const line of [41, 41, 55]) {
    made.sites.add({ module: NONE, address: line, function: 'push', file: 'queue.c', line });
  }
  for (const address of [7, 8]) {
    made.sites.add({ module: NONE, address, function: '', file: '', line: 0 });
  }
  for (const symbol of ['slots[3]', 'slots[7]', 'head', '', '']) {
    made.variables.add({ address: 0, size: 4, allocation: NONE, symbol });
  }
  return made;
}

function race(
  variable: number,
  sites: readonly [number, number],
  rung: Rung = 'happens-before',
  isCertain = true,
): Race<never> {
  const [first, second] = sites.map((site, thread) => ({
    event: thread,
    thread,
    op: Op.write,
    site,
  }));
  return { variable, first: first!, second: second!, occurrences: 2, rung, isCertain };
}

const folded = (...races: Race<never>[]) => foldByCause(races, new Causes(tables()));

describe('one cause have races', () => {
  it.each([
    ['at other elements of an array, the other way round', race(0, [0, 2]), race(1, [2, 0])],
    ['at other instructions of the same lines', race(2, [0, 2]), race(2, [1, 2])],
    ['in blocks of memory that have no names', race(3, [0, 2]), race(4, [0, 2])],
    ['on one variable, at places that nobody knows', race(2, [NONE, 2]), race(2, [2, NONE])],
  ])('%s', (_, one, other) => {
    expect(folded(one, other)).toMatchObject([{ occurrences: 4, variable: one.variable }]);
  });
});

describe('causes of their own have races', () => {
  it.each([
    ['on variables with names of their own', race(0, [0, 2]), race(2, [0, 2])],
    ['at other lines', race(2, [0, 2]), race(2, [0, 0])],
    ['at other instructions without lines', race(2, [3, 3]), race(2, [3, 4])],
    ['on other variables, at places that nobody knows', race(3, [NONE, 2]), race(4, [NONE, 2])],
  ])('%s', (_, one, other) => {
    expect(folded(one, other)).toHaveLength(2);
  });
});

describe('of races with one cause', () => {
  it('the one on the lowest rung is told, and there a certain one', () => {
    const races = [
      race(0, [0, 2], 'search'),
      race(1, [0, 2], 'happens-before', false),
      race(1, [1, 2], 'happens-before'),
    ];
    const [told, ...others] = folded(...races);
    expect(others).toEqual([]);
    expect(told).toMatchObject({ rung: 'happens-before', isCertain: true, first: { site: 1 } });
    expect(told).toMatchObject({ occurrences: 6, variables: 2 });
  });
});
