import { expect, test } from 'vitest';
import { builtSoFar, moduleName } from './build-modules.ts';

test('has the name of its folder and its file', () => {
  expect(moduleName('examples/watch-kernel/rw-race/racy.c')).toBe('rw_race_racy');
  expect(moduleName('/tmp/a b/c.d.c')).toBe('a_b_c_d');
});

test('counts the modules that were linked', () => {
  const output = [
    'make: Entering directory',
    '  CC [M]  /tmp/modules/rw_race_racy.o',
    '  LD [M]  /tmp/modules/both.o',
    '  LD [M]  /tmp/modules/rw_race_racy.ko',
    '  LD [M]  /tmp/modules/late_size_racy.ko',
    '',
  ].join('\n');
  expect(builtSoFar('')).toBe(0);
  expect(builtSoFar(output)).toBe(2);
});
