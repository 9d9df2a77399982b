import { expect, it } from 'vitest';
import { errnoNumber } from '../../../linux/errno.ts';
import { detectRaces } from '../../detect/detect.ts';
import { buildTimeline } from '../../detect/timeline.ts';
import { Script, SOME_FILE } from '../../testdata/records.ts';
import { shown } from '../../testdata/shown-operations.ts';

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

const open = { isOpen: true, file: SOME_FILE };

it.each([
  ['stat', shown('stat', '/f'), 'load entry /f, load attributes /f, load size /f'],
  ['stat of nothing', shown('stat', '/f', { result: -2 }), 'load entry /f'],
  ['fstat', shown('fstat', '/f', open), 'load attributes /f'],
  ['newfstatat of what is open', shown('newfstatat', '/f', open), 'load attributes /f'],
  ['access', shown('faccessat2', '/f'), 'load entry /f, load attributes /f'],
  ['chmod', shown('chmod', '/f'), 'load entry /f to write, store attributes /f'],
  ['chmod in vain', shown('chmod', '/f', { result: -1 }), 'load entry /f to write'],
  ['fchown', shown('fchown', '/f', open), 'store attributes /f'],
  ['utimensat', shown('utimensat', '/f'), 'load entry /f to write, store size /f'],
  ['setxattr', shown('setxattr', '/f'), 'load entry /f to write, store attributes /f'],
  ['getxattr', shown('lgetxattr', '/f'), 'load entry /f, load attributes /f'],
  ['flistxattr', shown('flistxattr', '/f', open), 'load attributes /f'],
  ['stat in /sys', shown('stat', '/sys/devices'), ''],
  ['fstat of a pipe', shown('fstat', 'pipe:[7]', { isOpen: true }), ''],
])('%s', (_, operations, expected) => expect(operations).toBe(expected));
