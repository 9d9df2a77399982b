import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderColumns } from './order-columns.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import { procsReport } from './testdata/reports.ts';

const [race] = procsReport().races;

describe('both orders', () => {
  it('stand side by side', () => {
    expect(orderColumns(race!, { code: 0 }, 90)).toEqual([
      'What happened                                 What can happen',
      'A sh (pid 13): mkdir("obj", 0777)             B cc1 (pid 14): openat(AT_FDCWD, "obj/a.o",',
      '                                                O_CREAT)',
      'B cc1 (pid 14): openat(AT_FDCWD, "obj/a.o",   A sh (pid 13): mkdir("obj", 0777)',
      '  O_CREAT)',
      '→ exit status 0                               → exit status 2 instead of 0',
    ]);
  });

  it('stand below each other where it is narrow', () => {
    const lines = orderColumns(race!, { signal: 'SIGTERM' }, 60);
    expect(lines.indexOf('→ killed by SIGTERM')).toBeLessThan(lines.indexOf('What can happen'));
  });

  it('are never wider than asked for', () => {
    fc.assert(
      fc.property(arbitraryReport, fc.integer({ min: 20, max: 200 }), ({ races, exit }, width) => {
        for (const one of races) {
          for (const line of orderColumns(one, exit, width))
            expect(line.length).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
