import { describe, expect, it } from 'vitest';
import { pipe, SOME_FILE } from '../../testdata/records.ts';
import { shown } from '../../testdata/shown-operations.ts';

const file = SOME_FILE;
const plain = { key: 'open 1', appends: false };
const appending = { key: 'open 1', appends: true };
/** On a file that is open. */
const on = (call: string, given: object, name = '/f'): string =>
  shown(call, name, { file, isOpen: true, ...given });

describe('reading', () => {
  it.each([
    [
      'all that was asked for',
      on('read', { args: [3, 0, 10], result: 10, position: 15, openFile: plain }),
      'load contents /f [5, 15), store position /f',
    ],
    [
      'up to the end',
      on('read', { args: [3, 0, 10], result: 4, position: 4 }),
      'load contents /f [0, Infinity)',
    ],
    [
      'nothing, at the end',
      on('read', { args: [3, 0, 10], result: 0, position: 9 }),
      'load contents /f [9, Infinity)',
    ],
    [
      'at nobody knows where',
      on('read', { args: [3, 0, 10], result: 10 }),
      'load contents /f [0, Infinity)',
    ],
    ['in vain', on('read', { args: [3, 0, 10], result: -5 }), ''],
    [
      'at an offset',
      on('pread64', { args: [3, 0, 10, 100], result: 10, openFile: plain }),
      'load contents /f [100, 110)',
    ],
    [
      'with preadv2 at an offset',
      on('preadv2', { args: [3, 0, 1, 7], result: 2, openFile: plain }),
      'load contents /f [7, 9)',
    ],
    [
      'with preadv2 at the position',
      on('preadv2', { args: [3, 0, 1, -1], result: 2, position: 6, openFile: plain }),
      'load contents /f [4, 6), store position /f',
    ],
    ['a pipe', on('read', { args: [3, 0, 10], result: 10, file: pipe(7) }), ''],
    ['a file of the kernel', on('read', { result: 10 }, '/proc/meminfo'), ''],
    [
      'what was open before',
      on('read', { args: [3, 0, 1], result: 1, position: 1 }, 'file:[1:1]'),
      'load contents file:[1:1] [0, 1)',
    ],
    [
      'a file in memory',
      on('read', { args: [3, 0, 1], result: 1, position: 1 }, 'memfd:x'),
      'load contents memfd:x [0, 1)',
    ],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('writing', () => {
  it.each([
    [
      'at the position',
      on('write', { result: 10, position: 15, openFile: plain }),
      'store contents /f [5, 15), ~store size /f, ~store end /f, store position /f',
    ],
    [
      'at the end',
      on('write', { result: 10, position: 15, openFile: appending }),
      'store contents /f [5, 15), ~store size /f, store end /f, ~store position /f',
    ],
    [
      'at an offset',
      on('pwrite64', { args: [3, 0, 10, 100], result: 10, openFile: plain }),
      'store contents /f [100, 110), ~store size /f, ~store end /f',
    ],
    [
      'at an offset, but appending',
      on('pwrite64', { args: [3, 0, 10, 100], result: 10, openFile: appending }),
      'store contents /f [0, Infinity), ~store size /f, store end /f',
    ],
    ['nothing', on('write', { result: 0, openFile: plain }), ''],
    ['in vain', on('write', { result: -28, openFile: plain }), ''],
    ['to a device', on('write', { result: 10 }, '/dev/null'), ''],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('other ways to change bytes', () => {
  const cut = 'store contents /f [5, Infinity), store size /f, store end /f';
  it.each([
    ['truncate', shown('truncate', '/f', { args: [0, 5] }), `load entry /f to write, ${cut}`],
    ['truncate in vain', shown('truncate', '/f', { result: -2 }), 'load entry /f to write'],
    ['ftruncate', on('ftruncate', { args: [3, 5] }), cut],
    [
      'fallocate',
      on('fallocate', { args: [3, 0, 5, 10] }),
      'store contents /f [5, 15), store size /f, store end /f',
    ],
    [
      'fallocate that takes a piece out',
      on('fallocate', { args: [3, 8, 5, 10] }),
      'store contents /f [5, Infinity), store size /f, store end /f',
    ],
    ['lseek', on('lseek', { result: 5, position: 5, openFile: plain }), 'store position /f'],
    [
      'mmap, shared, to write',
      on('mmap', { args: [0, 4096, 3, 1, 3, 8192] }),
      'store contents /f [8192, 12288)',
    ],
    [
      'mmap, private, to write',
      on('mmap', { args: [0, 4096, 3, 2, 3, 0] }),
      'load contents /f [0, 4096)',
    ],
    ['mmap, shared, to read', on('mmap', { args: [0, 10, 1, 1] }), 'load contents /f [0, 10)'],
    ['mmap in vain', on('mmap', { args: [0, 10, 1, 1], result: -12 }), ''],
    [
      'copy_file_range',
      on('copy_file_range', { result: 5, file2: file, target2: { key: '2', name: '/g' } }),
      'load contents /f, store contents /g, ~store size /g',
    ],
    [
      'sendfile from a file into a pipe',
      on('sendfile', { result: 5, file: pipe(7), file2: file, target2: { key: '2', name: '/g' } }),
      'load contents /g',
    ],
    [
      'getdents64',
      on('getdents64', { result: 5, position: 5, openFile: plain }),
      'load listing /f, store position /f',
    ],
    ['getdents64 of /proc', on('getdents64', { result: 5 }, '/proc'), 'load listing /proc'],
    ['getdents64 in vain', on('getdents64', { result: -2 }), ''],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});
