import { expect, test } from 'vitest';
import { moduleName } from './build-modules.ts';

test('has the name of its folder and its file', () => {
  expect(moduleName('examples/watch-kernel/rw-race/racy.c')).toBe('rw_race_racy');
  expect(moduleName('/tmp/a b/c.d.c')).toBe('a_b_c_d');
});
