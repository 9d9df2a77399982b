import { afterEach, expect, it } from 'vitest';
import { listenToProgress } from '../../base/progress.ts';
import { TriedRaces } from './tried-races.ts';

const told: string[] = [];
let stop = (): void => {};
afterEach(() => stop());

/** What is told first of anything is never left out. */
function listening(): void {
  told.length = 0;
  stop = listenToProgress((progress) => {
    if (progress) told.push(`${progress.done}/${progress.total} ${progress.doing}`);
  });
}

it('counts doubtful races for themselves, after those that there are for certain', () => {
  const races = [{ id: 'R1' }, { id: 'R2' }, { id: 'D1' }] as const;
  const count = new TriedRaces(races);
  listening();
  count.tell();
  expect(told).toEqual(['0/2 races tried']);
  listening();
  count.add(races[0]);
  expect(told).toEqual(['1/2 races tried']);
  listening();
  // Another thread was quicker with it.
  count.add(races[2]);
  expect(told).toEqual(['1/2 races tried']);
  listening();
  count.add(races[1]);
  expect(told).toEqual(['1/1 doubtful races tried']);
});

it('tells of doubtful races at once where there are no others', () => {
  listening();
  new TriedRaces([{ id: 'D1' }]).tell();
  expect(told).toEqual(['0/1 doubtful races tried']);
});
