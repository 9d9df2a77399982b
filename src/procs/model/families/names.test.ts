import { describe, expect, it } from 'vitest';
import { errnoNumber } from '../../../linux/errno.ts';
import { shown } from '../../testdata/shown-operations.ts';
import { OpenFlag } from '../open-flags.ts';
import { dependsOnDirectories } from './names.ts';

const ENOENT = -errnoNumber('ENOENT')!;
const EEXIST = -errnoNumber('EEXIST')!;
const { O_CREAT, O_EXCL, O_TRUNC, O_WRONLY, O_DIRECTORY, O_TMPFILE } = OpenFlag;

const open = (flags: number, given: object = {}): string =>
  shown('openat', '/d/f', { args: [-100, 0, flags], result: 3, ...given });

describe('opening', () => {
  it.each([
    ['to read', open(0), 'load entry /d/f'],
    ['to write', open(O_WRONLY), 'load entry /d/f to write'],
    ['and not finding', open(O_WRONLY | O_CREAT, { result: ENOENT }), 'load entry /d/f'],
    [
      'and creating',
      open(O_WRONLY | O_CREAT | O_TRUNC, { created: true }),
      '~store entry /d/f, ~store listing /d',
    ],
    [
      'and creating for itself alone',
      open(O_WRONLY | O_CREAT | O_EXCL, { created: true }),
      'store entry /d/f, ~store listing /d',
    ],
    ['and failing to', open(O_WRONLY | O_CREAT | O_EXCL, { result: EEXIST }), 'load entry /d/f'],
    ['without creating', open(O_WRONLY | O_CREAT), '~load entry /d/f to write'],
    [
      'and emptying',
      open(O_WRONLY | O_TRUNC),
      'load entry /d/f to write, ~store contents /d/f [0, Infinity), ~store size /d/f',
    ],
    ['a file without a name', open(O_WRONLY | O_DIRECTORY | O_TMPFILE), 'load entry /d/f'],
    [
      'with creat',
      shown('creat', '/d/f', { result: 3 }),
      '~load entry /d/f to write, ~store contents /d/f [0, Infinity), ~store size /d/f',
    ],
    ['what the kernel makes up', shown('openat', '/sys/power/state', { result: 3 }), ''],
    ['what is no path', shown('openat', '?/x', { result: 3 }), ''],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('names that come and go', () => {
  const change = 'store entry /d/f, ~store listing /d';
  it.each([
    ['mkdir', shown('mkdir', '/d/f'), change],
    ['mkdir of what is there', shown('mkdir', '/d/f', { result: EEXIST }), 'load entry /d/f'],
    ['mknodat', shown('mknodat', '/d/f'), change],
    ['symlink', shown('symlink', '/d/f'), change],
    ['unlink', shown('unlink', '/d/f'), change],
    ['unlink of nothing', shown('unlink', '/d/f', { result: ENOENT }), 'load entry /d/f'],
    ['rmdir', shown('rmdir', '/d/f'), `${change}, load listing /d/f`],
    [
      'rmdir of one that is not empty',
      shown('rmdir', '/d/f', { result: -39 }),
      'load entry /d/f, load listing /d/f',
    ],
    ['unlinkat', shown('unlinkat', '/d/f', { args: [-100, 0, 0] }), change],
    [
      'unlinkat of a directory',
      shown('unlinkat', '/d/f', { args: [-100, 0, 0x200] }),
      `${change}, load listing /d/f`,
    ],
    ['readlink', shown('readlink', '/d/f', { result: 5 }), 'load entry /d/f'],
    ['chdir', shown('chdir', '/d/f'), 'load entry /d/f'],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('renaming and linking', () => {
  const name2 = '/e/g';
  it.each([
    [
      'to a new name',
      shown('rename', '/d/f', { name2 }),
      'store entry /d/f, ~store listing /d, store entry /e/g, ~store listing /e',
    ],
    [
      'onto what is there',
      shown('rename', '/d/f', { name2, replaces: true }),
      'store entry /d/f, ~store listing /d, store entry /e/g seamlessly',
    ],
    [
      'in vain',
      shown('renameat', '/d/f', { name2, result: ENOENT }),
      'load entry /d/f, load entry /e/g',
    ],
    [
      'by changing places',
      shown('renameat2', '/d/f', { name2, replaces: true, args: [0, 0, 0, 0, 2] }),
      'store entry /d/f, store entry /e/g',
    ],
    [
      'by a link',
      shown('link', '/d/f', { name2 }),
      'load entry /d/f to write, store entry /e/g, ~store listing /e',
    ],
    [
      'by a link that is there',
      shown('link', '/d/f', { name2, result: EEXIST }),
      'load entry /d/f to write, load entry /e/g',
    ],
    [
      'by a link to a file without a name',
      shown('linkat', '/proc/self/fd/3', { name2 }),
      'store entry /e/g, ~store listing /e',
    ],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

it('queues have names too', () => {
  const queue = (flags: number, result = 3): string =>
    shown('mq_open', '/dev/mqueue/q', { args: [0, flags], result });
  expect(queue(0)).toBe('load entry /dev/mqueue/q');
  expect(queue(O_CREAT)).toBe('~store entry /dev/mqueue/q');
  expect(queue(O_CREAT | O_EXCL)).toBe('store entry /dev/mqueue/q');
  expect(queue(O_CREAT | O_EXCL, EEXIST)).toBe('load entry /dev/mqueue/q');
  expect(shown('mq_unlink', '/dev/mqueue/q')).toBe(
    'store entry /dev/mqueue/q, ~store listing /dev/mqueue',
  );
});

it('a look that found nothing does not hang on the directories, a creation does', () => {
  expect(dependsOnDirectories('stat', ENOENT)).toBe(false);
  expect(dependsOnDirectories('stat', 0)).toBe(true);
  expect(dependsOnDirectories('openat', ENOENT)).toBe(true);
  expect(dependsOnDirectories('renameat2', ENOENT)).toBe(true);
});
