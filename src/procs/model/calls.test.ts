import { describe, expect, it } from 'vitest';
import { callRecord, pipe, SOME_FILE } from '../testdata/records.ts';
import { dependsOnDirectories, operationsOf } from './calls.ts';
import { OpenFlag, showOpenFlags } from './open-flags.ts';

const ENOENT = -2;
const EEXIST = -17;
const { O_CREAT, O_TRUNC, O_WRONLY } = OpenFlag;

/** `load entry /d/f, store contents /d/f` */
function shown(name: string, file: string, details: Parameters<typeof callRecord>[3] = {}): string {
  const call = callRecord(1, name, undefined, details);
  const operations = operationsOf(call, { name: file, name2: details.path2 });
  return operations.map(({ op, part, path }) => `${op} ${part} ${path}`).join(', ');
}

describe('what calls load and store', () => {
  it('opening: looks, creates, truncates', () => {
    const open = (flags: number, details: object = {}) =>
      shown('openat', '/d/f', { args: [0, 0, flags], result: 3, ...details });
    expect(open(0)).toBe('load entry /d/f');
    expect(open(O_WRONLY | O_CREAT | O_TRUNC, { created: true })).toBe(
      'store entry /d/f, store listing /d',
    );
    expect(open(O_WRONLY | O_CREAT)).toBe('load entry /d/f');
    expect(open(O_WRONLY | O_CREAT | O_TRUNC)).toBe('load entry /d/f, store contents /d/f');
    expect(open(O_WRONLY | O_CREAT, { result: ENOENT })).toBe('load entry /d/f');
    expect(shown('creat', '/d/f', { result: 3 })).toContain('store contents /d/f');
  });

  it('a failed change only looks', () => {
    expect(shown('mkdir', '/d/f', { result: 0 })).toBe('store entry /d/f, store listing /d');
    expect(shown('mkdir', '/d/f', { result: EEXIST })).toBe('load entry /d/f');
    expect(shown('unlink', '/d/f', { result: ENOENT })).toBe('load entry /d/f');
  });

  it('renaming changes both names', () => {
    expect(shown('rename', '/a/x', { path2: '/b/y' })).toBe(
      'store entry /a/x, store listing /a, store entry /b/y, store listing /b',
    );
  });

  it('reading and writing touch the contents, if bytes were moved', () => {
    const file = SOME_FILE;
    expect(shown('read', '/d/f', { result: 10, file })).toBe('load contents /d/f');
    expect(shown('read', '/d/f', { result: 0, file })).toBe('load contents /d/f');
    expect(shown('write', '/d/f', { result: 10, file })).toBe('store contents /d/f');
    expect(shown('write', '/d/f', { result: -28, file })).toBe('');
  });

  it('nothing is shared in pipes, devices and kernel files', () => {
    expect(shown('read', 'pipe:[123]', { result: 5, file: pipe(123) })).toBe('');
    expect(shown('read', '/d/fifo', { result: 5, file: pipe(123) })).toBe('');
    expect(shown('write', '/dev/null', { result: 5, file: SOME_FILE })).toBe('');
    expect(shown('openat', '/proc/self/maps', { result: 3 })).toBe('');
    expect(shown('read', '/devices/f', { result: 5, file: SOME_FILE })).toBe(
      'load contents /devices/f',
    );
  });

  it('a look that found nothing does not hang on the directories, a creation does', () => {
    expect(dependsOnDirectories(callRecord(1, 'stat', '/d/f', { result: ENOENT }))).toBe(false);
    expect(dependsOnDirectories(callRecord(1, 'stat', '/d/f'))).toBe(true);
    expect(dependsOnDirectories(callRecord(1, 'openat', '/d/f', { result: ENOENT }))).toBe(true);
  });

  it('flags read as in the manual', () => {
    expect(showOpenFlags(0)).toBe('O_RDONLY');
    expect(showOpenFlags(O_WRONLY | O_CREAT | O_TRUNC)).toBe('O_WRONLY|O_CREAT|O_TRUNC');
  });
});
