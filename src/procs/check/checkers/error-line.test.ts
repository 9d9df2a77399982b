import { expect, it } from 'vitest';
import { likeness, looksLikeError } from './error-line.ts';

it.each([
  'make: *** [Makefile:5: obj/a.o] Error 1',
  'a.c:3:10: \u001b[31mfatal error:\u001b[0m b.h: No such file or directory',
  'mkdir: cannot create directory ‘obj’: File exists',
  'sh: 1: cannot create obj/a.o: Directory nonexistent',
  'ld: a.o: file not recognized: file truncated',
  'Segmentation fault (core dumped)',
  'Traceback (most recent call last):',
  "warning: couldn't remove lock",
])('complains: %s', (line) => {
  expect(looksLikeError(line)).toBe(true);
});

it.each([
  'finished with 0 errors',
  '12 passed, 0 failed',
  'errors: 0',
  'gcc -Werror -c error-handler.c -o obj/error.o',
  'a.c:3: warning: unused variable ‘x’',
  'sleeping for 5 seconds',
  '',
])('does not: %s', (line) => {
  expect(looksLikeError(line)).toBe(false);
});

it('knows the same complaint again', () => {
  const same = (a: string, b: string): boolean => likeness(a) === likeness(b);
  expect(
    same(
      'Mon 10:02:11 [4711] cannot open /tmp/cc8XbQ.o: No such file',
      'Tue 10:05:40 [815]  cannot open /tmp/ccZ1aa.o: No such file',
    ),
  ).toBe(true);
  expect(same('bad address 0x7ffe12', 'bad address 0x55aaff00')).toBe(true);
  expect(same('cannot open tmp.AbCdEf', 'cannot open tmp.xyzxyz')).toBe(true);
  expect(same('cannot open a.o', 'cannot open b.o')).toBe(false);
  expect(same('cannot open a.o', 'cannot remove a.o')).toBe(false);
});
