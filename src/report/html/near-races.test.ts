import { expect, it } from 'vitest';
import { nearRaces } from './near-races.ts';

const drawn = (count: number, racing: readonly number[], most: number): number[] => {
  const isDrawn = nearRaces(count, racing, most);
  return Array.from({ length: count }, (_, event) => event).filter(isDrawn);
};

it('draws everything if there is room', () => {
  expect(drawn(5, [], 5)).toEqual([0, 1, 2, 3, 4]);
});

it('draws as much around each race as there is room for', () => {
  expect(drawn(100, [50, 20], 8)).toEqual([18, 19, 20, 21, 22, 48, 49, 50, 51, 52]);
});

it('draws how it began if there are no races', () => {
  expect(drawn(100, [], 8)).toEqual([0, 1, 2, 3, 4]);
});
