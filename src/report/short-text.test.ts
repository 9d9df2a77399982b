import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../base/display-width.ts';
import type { Report } from './model.ts';
import { formatShortText } from './short-text.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import {
  allReports,
  predictedReport,
  procsReport,
  sampleReport,
  threadsReport,
  tolerateReport,
} from './testdata/reports.ts';

/** Names as long as people make them, and wider than they are long. */
function longNames(): Report {
  const [race] = procsReport().races;
  const name = `/home/me/${'日本語 🏁/'.repeat(20)}x`;
  const accesses = race!.accesses.map((one) => ({ ...one, process: name, what: name }));
  const long = { title: name, object: { type: 'file', name }, hint: name, evidence: name };
  return { ...procsReport(), races: [{ ...race!, accesses, ...long }] };
}

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

  it('has the order that was traced beside the one in which two threads meet', () => {
    expect(shown(predictedReport()).slice(3, 12)).toEqual([
      '    what happened                    │ what can happen',
      '    ─────────────────────────────────┼─────────────────────────────────',
      '    A worker#2: read jobs_done[0]    │   … after 3 earlier steps',
      '      report_progress progress.c:12  │   main: fork worker#1',
      '      start_thread libc.so.6+0x89133 │   worker#1: acquire m',
      '    B worker#1: write jobs_done[0]   │ A worker#2: read jobs_done[0]',
      '      add_job queue.c:41             │ B worker#1: write jobs_done[0]',
      '      start_thread libc.so.6+0x89133 │ ? both at once',
      '',
    ]);
  });

  it('tells how a section was disturbed, and what became of it', () => {
    const lines = shown(tolerateReport());
    expect(lines.slice(3, 12)).toEqual([
      '    what happened                    │ what it counts as',
      '    ─────────────────────────────────┼─────────────────────────────────',
      '    B the section finds 0x5          │ A thread 23 makes it 0x9',
      '      add_job queue.c:41             │ B the section makes it 0x6',
      '      start_thread libc.so.6+0x89133 │ ✔ memory has 0x6 (class IVb)',
      '    A thread 23 makes it 0x9         │',
      '      report_progress progress.c:12  │',
      '      start_thread libc.so.6+0x89133 │',
      '    B the section makes it 0x6       │',
    ]);
    expect(lines[15]).toMatch(/^R2 \[not tolerated\]/);
    expect(lines[20]).toBe('    B the section finds 0x5          │ ✖ memory has 0x9 (class IVc)');
  });

  it('lists many races after their pictures, and counts them by verdict', () => {
    const [race] = procsReport().races;
    const races = Array.from({ length: 25 }, (_, i) => ({
      ...race!,
      id: `R${i + 1}`,
      verdict: i < 3 ? ('harmful' as const) : ('detected' as const),
      title: `sh creates ${'a/very/long/path/'.repeat(8)}${i}`,
    }));
    const lines = shown({ ...procsReport(), races });
    const first = lines.findIndex((line) => line.startsWith('R1   harmful            sh creates'));
    expect(lines[first]).toMatch(/^.{90}$/);
    expect(lines[first]).toMatch(/creates a\/very.*….*path\/0$/);
    expect(lines[first + 3]).toMatch(/^R4 {3}not validated yet {2}sh creates/);
    expect(lines[first + 20]).toBe('… and 5 more');
    expect(lines.at(-2)).toBe('deadheat: reported 25 races: 3 harmful, 22 not validated yet');
  });

  it('lists races of one file by their places, however narrow it is', () => {
    const [race] = sampleReport().races;
    const races = Array.from({ length: 9 }, (_, i) => ({
      ...race!,
      id: `R${i + 1}`,
      title: `thread 41 writes hits at racy.c:${31 + i} while thread 42 reads it at racy.c:38`,
    }));
    const lines = formatShortText({ ...sampleReport(), races }, 40).split('\n');
    const list = lines.filter((line) => /^R\d {2}predicted {2}/.test(line));
    expect(list[2]).toBe('R3  predicted  …racy.c:33 w…at racy.c:38');
    expect(new Set(list.map((line) => line.slice(2))).size).toBe(9);
  });

  it('fits the terminal, but for what programs look for at the end', () => {
    for (const report of [...Object.values(allReports), longNames]) {
      for (const width of [40, 80, 200]) {
        const pictures = shown(report(), width).filter((line) => !line.startsWith('deadheat: '));
        for (const line of pictures) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('ends as the whole report does, and says how to get that', () => {
    for (const report of Object.values(allReports)) {
      const lines = shown(report());
      expect(lines.at(-2)).toMatch(/^deadheat: reported \d+ races?(:|$)/);
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
