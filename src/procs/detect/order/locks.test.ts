import { describe, expect, it } from 'vitest';
import { isOrdered } from '../../testdata/ordered.ts';
import { Script, SOME_FILE, words } from '../../testdata/records.ts';

const [SHARED, ALONE, UNLOCK] = [1, 2, 8];
const file = { ...SOME_FILE, inode: 77 };
const flock = (script: Script, task: number, how: number, result = 0): Script =>
  script.call(task, 'flock', undefined, { args: [9, how], file, result });
const [F_SETLKW, F_OFD_SETLK, F_GETLK] = [7, 37, 5];
const [F_RDLCK, F_WRLCK, F_UNLCK] = [0, 1, 2];
/** `struct flock`; `whence` is 0 for the start of the file. */
const range = (type: number, from: number, length: number, whence = 0): string =>
  words(2, type, whence, 0, 0) + words(8, from, length);
const fcntl = (
  script: Script,
  task: number,
  data: string | undefined,
  command = F_SETLKW,
): Script => script.call(task, 'fcntl', undefined, { args: [9, command], file, data });
const four = (): Script => new Script().fork(1, 2).fork(1, 3).fork(1, 4);

describe('flock', () => {
  const isAfter = (one: number, other: number): boolean =>
    isOrdered(flock(flock(four(), 2, one).mark(2, 'first'), 3, other).mark(3, 'then'));
  it('puts those in order of whom one has it alone', () => {
    expect(isAfter(ALONE, ALONE)).toBe(true);
    expect(isAfter(SHARED, ALONE)).toBe(true);
    expect(isAfter(ALONE, SHARED)).toBe(true);
    expect(isAfter(SHARED, SHARED)).toBe(false);
    expect(isAfter(ALONE, UNLOCK)).toBe(false);
  });

  it('does not if it fails', () => {
    const script = flock(flock(four(), 2, ALONE).mark(2, 'first'), 3, ALONE, -11);
    expect(isOrdered(script.mark(3, 'then'))).toBe(false);
  });

  it('counts for those who share it after one who had it alone', () => {
    const script = flock(flock(flock(four(), 2, ALONE).mark(2, 'first'), 3, SHARED), 4, SHARED);
    expect(isOrdered(script.mark(4, 'then'))).toBe(true);
    const upgraded = flock(flock(flock(four(), 2, SHARED).mark(2, 'first'), 3, SHARED), 4, ALONE);
    expect(isOrdered(upgraded.mark(4, 'then'))).toBe(true);
  });

  it('does not count what a holder does after others have had it', () => {
    const script = flock(flock(four(), 2, ALONE), 3, ALONE).mark(2, 'first');
    expect(isOrdered(flock(script, 4, ALONE).mark(4, 'then'))).toBe(false);
  });

  it('is taken for a parent too', () => {
    const script = flock(four().fork(2, 5), 5, ALONE).exit(5).wait(2, 5).mark(2, 'first');
    expect(isOrdered(flock(script, 3, ALONE).mark(3, 'then'))).toBe(true);
  });
});

describe('fcntl', () => {
  const isAfter = (
    one: string | undefined,
    other: string | undefined,
    command = F_SETLKW,
  ): boolean =>
    isOrdered(fcntl(fcntl(four(), 2, one).mark(2, 'first'), 3, other, command).mark(3, 'then'));
  it('puts those in order that lock the same bytes', () => {
    expect(isAfter(range(F_WRLCK, 0, 10), range(F_WRLCK, 5, 10))).toBe(true);
    expect(isAfter(range(F_WRLCK, 0, 10), range(F_WRLCK, 10, 10))).toBe(false);
    expect(isAfter(range(F_WRLCK, 5, 0), range(F_RDLCK, 100, 1))).toBe(true);
    expect(isAfter(range(F_RDLCK, 0, 0), range(F_RDLCK, 0, 0))).toBe(false);
    expect(isAfter(range(F_WRLCK, 10, -5), range(F_WRLCK, 5, 1))).toBe(true);
    expect(isAfter(range(F_WRLCK, 0, 0), range(F_UNLCK, 0, 0))).toBe(false);
    expect(isAfter(range(F_WRLCK, 0, 0), range(F_WRLCK, 0, 0), F_OFD_SETLK)).toBe(true);
    expect(isAfter(range(F_WRLCK, 0, 0), range(F_WRLCK, 0, 0), F_GETLK)).toBe(false);
  });

  it('is careful where it is not known which bytes', () => {
    expect(isAfter(range(F_WRLCK, 0, 10, 1), range(F_WRLCK, 50, 10))).toBe(true);
    expect(isAfter(undefined, range(F_WRLCK, 50, 10))).toBe(true);
    expect(isAfter('\x01', '\x01')).toBe(true);
  });

  it('keeps a holder of some bytes while others are locked', () => {
    const script = fcntl(fcntl(four(), 2, range(F_WRLCK, 0, 10)), 3, range(F_WRLCK, 5, 1));
    script.mark(2, 'first');
    expect(isOrdered(fcntl(script, 4, range(F_WRLCK, 0, 1)).mark(4, 'then'))).toBe(true);
  });

  it('of very many parts counts as one', () => {
    const script = four();
    for (let part = 0; part < 600; part++) fcntl(script, 2, range(F_WRLCK, part * 10, 1));
    expect(isOrdered(fcntl(script.mark(2, 'first'), 3, range(F_WRLCK, 7, 1)).mark(3, 'then'))).toBe(
      true,
    );
  });
});
