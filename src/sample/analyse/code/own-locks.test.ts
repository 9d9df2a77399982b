import { expect, it } from 'vitest';
import { hasOwnLocks } from './own-locks.ts';

it('libraries with locks that nobody can see are known by their names', () => {
  for (const name of ['libc.so.6', 'ld-linux-x86-64.so.2', 'libjemalloc.so.2', 'libgomp.so.1'])
    expect(hasOwnLocks(`/usr/lib/${name}`)).toBe(true);
  for (const name of ['libtcmalloc_minimal.so.4', 'libmimalloc-secure.so.2.0'])
    expect(hasOwnLocks(`/usr/lib/${name}`)).toBe(true);
  for (const name of ['libcrypto.so.3', 'server', 'libcjson.so.1'])
    expect(hasOwnLocks(`/usr/lib/${name}`)).toBe(false);
});
