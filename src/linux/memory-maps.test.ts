import { describe, expect, it } from 'vitest';
import { pid } from './ids.ts';
import { mappingsOf } from './memory-maps.ts';

describe('what is mapped', () => {
  it('is told in order, with the code of the program among it', () => {
    const found = mappingsOf(pid(process.pid));
    const code = found.find(({ path, isExecutable }) => isExecutable && path === process.execPath);
    expect(code).toMatchObject({ inode: expect.any(Number) });
    expect(code!.end).toBeGreaterThan(code!.start);
    for (const [i, { start }] of found.slice(1).entries()) {
      expect(start).toBeGreaterThanOrEqual(found[i]!.end);
    }
    expect(found.some(({ path, inode }) => path === '[stack]' && inode === 0)).toBe(true);
    // More than the kernel shows in one go.
    expect(found.length).toBeGreaterThan(40);
  });

  it('is nothing in a process that is gone', () => {
    expect(mappingsOf(pid(2 ** 22 + 1))).toEqual([]);
  });
});
