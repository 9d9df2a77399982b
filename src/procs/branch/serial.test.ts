import { describe, expect, it } from 'vitest';
import { buildScript } from '../replay/script.ts';
import { Script } from '../testdata/records.ts';
import { isIn, type Unit, unitsOf } from './serial.ts';

/** The units of the tasks with these numbers: `0.1 and below`, `0 alone`. */
function units({ records }: Script, one: number, other: number): string[] | undefined {
  const script = buildScript(records)!;
  const [a, b] = [one, other].map((tid) => script.tasks.find(({ start }) => start.tid === tid)!);
  return unitsOf(script, a!, b!)?.map(
    ({ path, withDescendants }) => `${path.join('.')}${withDescendants ? ' and below' : ' alone'}`,
  );
}

describe('the units of two racing processes', () => {
  /** make (1) ─┬─ sh (2) ── mkdir (3);  └─ sh (4) ── cc (5) ── as (6) */
  const make = (): Script => new Script().fork(1, 2).fork(2, 3).fork(1, 4).fork(4, 5).fork(5, 6);

  it('are the branches of the family below their last common ancestor', () => {
    expect(units(make(), 3, 6)).toEqual(['0 and below', '1 and below']);
    expect(units(make(), 6, 3)).toEqual(['1 and below', '0 and below']);
    expect(units(make(), 2, 4)).toEqual(['0 and below', '1 and below']);
    const cousins = new Script().fork(1, 2).fork(2, 3).fork(2, 4).fork(4, 5);
    expect(units(cousins, 3, 5)).toEqual(['0.0 and below', '0.1 and below']);
  });

  it('are the child with its own, and the parent alone', () => {
    expect(units(make(), 4, 6)).toEqual(['1 alone', '1.0 and below']);
    expect(units(make(), 6, 1)).toEqual(['1 and below', ' alone']);
  });

  it('count threads as their process, and do not exist within one', () => {
    const threads = (): Script => new Script().thread(1, 2).fork(2, 3).fork(1, 4).thread(4, 5);
    expect(units(threads(), 1, 2)).toBe(undefined);
    expect(units(threads(), 4, 5)).toBe(undefined);
    expect(units(threads(), 2, 4)).toEqual([' alone', '1 and below']);
    expect(units(threads(), 5, 1)).toEqual(['1 and below', ' alone']);
  });

  it('of processes that two threads have started are apart', () => {
    const threads = new Script().thread(1, 2).fork(2, 3).fork(1, 4);
    expect(units(threads, 3, 4)).toEqual(['0 and below', '1 and below']);
  });

  it('tell lives apart that have the same number', () => {
    const again = new Script().fork(1, 2).exit(2).wait(1, 2).fork(1, 2).fork(1, 3);
    const script = buildScript(again.records)!;
    const [, first, second, third] = script.tasks;
    expect(unitsOf(script, first!, third!)?.map(({ path }) => path)).toEqual([[0], [2]]);
    expect(unitsOf(script, second!, third!)?.map(({ path }) => path)).toEqual([[1], [2]]);
  });
});

describe('a unit', () => {
  const whole: Unit = { path: [0, 1], withDescendants: true };
  const alone: Unit = { path: [0, 1], withDescendants: false };

  it.each([
    [[0, 1], true, true],
    [[0, 1, 5], true, false],
    [[0], false, false],
    [[0, 2], false, false],
    [[], false, false],
  ])('%j is in it with its descendants: %s, alone: %s', (path, inWhole, inAlone) => {
    expect([isIn(path, whole), isIn(path, alone)]).toEqual([inWhole, inAlone]);
  });
});
