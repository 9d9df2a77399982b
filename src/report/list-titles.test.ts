import { expect, it } from 'vitest';
import { displayWidth } from '../base/display-width.ts';
import { listTitles } from './list-titles.ts';

const title = (one: number, other: number): string =>
  `racy writes counter at racy.c:${one} while thread 22 reads it at racy.c:${other}`;

it('leaves what fits as it is', () => {
  expect(listTitles([title(38, 50), 'short'], 80)).toEqual([title(38, 50), 'short']);
});

it('keeps both ends of what does not', () => {
  expect(listTitles([title(38, 50), 'short'], 30)).toEqual([
    'racy writes co…it at racy.c:50',
    'short',
  ]);
});

it('keeps apart what differs only in the middle, or at either place', () => {
  const places = [38, 39, 40].flatMap((one) => [50, 51, 52].map((other) => title(one, other)));
  for (const room of [26, 40, 60]) {
    const shown = listTitles(places, room);
    expect(new Set(shown).size).toBe(9);
    expect(Math.max(...shown.map(displayWidth))).toBeLessThanOrEqual(room);
  }
  expect(listTitles(places, 26)[5]).toBe('…racy.c:39 w… at racy.c:52');
});

it('has nothing to leave out of titles that are all the same', () => {
  expect(listTitles([title(38, 50), title(38, 50)], 11)).toEqual(['racy ….c:50', 'racy ….c:50']);
});
