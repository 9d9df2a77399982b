import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from './model.ts';
import { formatShortText } from './short-text.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import { allReports, procsReport, threadsReport } from './testdata/reports.ts';

const shown = (report: Report, width = 90): string[] => formatShortText(report, width).split('\n');

describe('the short text', () => {
  it('has both orders of a race between processes side by side, and what each led to', () => {
    expect(shown(procsReport()).slice(0, 14)).toEqual([
      'R1 [harmful] sh creates obj/ while cc1 writes obj/a.o',
      '    load-store race on /home/me/project/obj, seen 12 times',
      '',
      '    what happened                          │ what fails',
      '    ───────────────────────────────────────┼───────────────────────────────────────',
      '    A sh (pid 13)                          │ B cc1 (pid 14)',
      '      mkdir("obj", 0777)                   │   openat(AT_FDCWD, "obj/a.o", O_CREAT)',
      '    B cc1 (pid 14)                         │ A sh (pid 13)',
      '      openat(AT_FDCWD, "obj/a.o", O_CREAT) │   mkdir("obj", 0777)',
      '    ✔ exit status 0                        │ ✖ exit status 2 instead of 0:',
      '                                           │   make: *** [a.o] Error 1',
      '',
      '    Replay: deadheat replay procs-3 R1',
      '',
    ]);
  });

  it('has both sides of a race between threads, with their places', () => {
    const lines = shown(threadsReport()).join('\n');
    expect(lines).toMatch(/A thread 23 of pool \(pid 20\) +│ B thread 22 of pool \(pid 20\)/);
    expect(lines).toMatch(/read of 4 bytes at 0x55d0c4 +│ write of 4 bytes at 0x55d0c4/);
    expect(lines).toMatch(/│ {3}add_job queue\.c:41/);
  });

  it('ends as the whole report does, and says how to get that', () => {
    for (const report of Object.values(allReports)) {
      const lines = shown(report());
      expect(lines.at(-2)).toMatch(/^deadheat: reported \d+ races?$/);
      expect(lines.at(-3)).toMatch(/^deadheat: --verbose tells all about (it|them)$/);
    }
    expect(shown({ ...procsReport(), races: [] }).join('\n')).not.toContain('--verbose');
  });

  it('prints nothing that a terminal would obey, whatever things are called', () => {
    fc.assert(
      fc.property(arbitraryReport, fc.integer({ min: 20, max: 200 }), (report, width) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
        expect(formatShortText(report, width)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
      }),
    );
  });
});
