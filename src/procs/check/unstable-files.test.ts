import { expect, it } from 'vitest';
import { FinalFiles } from './final-files.ts';
import { Place } from './testdata/layers.ts';
import { unstableFiles } from './unstable-files.ts';

type Files = Record<string, string>;

function unstable(place: Place, one: Files, another: Files): (name: string) => boolean {
  const [a, b] = [one, another].map((files) => new FinalFiles(place.run(files).layers));
  const found = unstableFiles(a!, b!);
  return (name) => found.has(place.at(name));
}

it('knows contents that differ from run to run', () => {
  const place = new Place();
  const isUnstable = unstable(place, { date: 'Mon', out: '1' }, { date: 'Tue', out: '1' });
  expect(['date', 'out', 'dates'].map(isUnstable)).toEqual([true, false, false]);
});

it('knows made-up names when it sees two of them', () => {
  const place = new Place();
  const one = { 'tmp.Xa81kq/file': '', 'log.7': '', 'a/out': '' };
  const isUnstable = unstable(place, one, { 'tmp.p0Zrkw/file': '', 'log.1234': '', 'a/out': '' });
  expect(['tmp.QQQQQQ', 'tmp.QQQQQQ/file', 'tmp.QQQQQQ/other', 'log.99'].every(isUnstable)).toBe(
    true,
  );
  expect(['tmp.QQQQ', 'log.', 'log.x', 'a', 'a/out', 'a/tmp.QQQQQQ'].some(isUnstable)).toBe(false);
});

it('does not take other names for made-up ones', () => {
  const place = new Place();
  const isUnstable = unstable(place, { 'a.o': '' }, { 'b.o': '' });
  expect(['a.o', 'b.o', 'c.o'].map(isUnstable)).toEqual([true, true, false]);
});
