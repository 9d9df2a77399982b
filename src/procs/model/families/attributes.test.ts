import { expect, it } from 'vitest';
import { errnoNumber } from '../../../linux/errno.ts';
import { detectRaces } from '../../detect/detect.ts';
import { buildTimeline } from '../../detect/timeline.ts';
import { Script } from '../../testdata/records.ts';

function races({ records }: Script): string[] {
  const { races: found } = detectRaces(buildTimeline(records, '/'));
  return found.map(({ type, thing }) => `${type} ${thing.name}`);
}

const forks = (): Script => new Script().fork(1, 2).fork(1, 3).call(2, 'chmod', '/f');

it.each([
  ['may', 0],
  ['may not', -(errnoNumber('EACCES') ?? 0)],
])('whoever is told by access that it %s has seen the mode', (_, result) => {
  expect(races(forks().call(3, 'access', '/f', { result }))).toEqual(['attributes /f']);
});

it('whoever is told that there is no such file has not', () => {
  const result = -(errnoNumber('ENOENT') ?? 0);
  expect(races(forks().call(3, 'access', '/f', { result }))).toEqual([]);
});
