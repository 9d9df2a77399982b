import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from './model.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import {
  allReports,
  predictedReport,
  procsReport,
  sampleReport,
  threadsReport,
  tolerateReport,
} from './testdata/reports.ts';
import { formatText } from './text.ts';

const linesOf = (report: Report): string[] => formatText(report).split('\n');

describe('the text format', () => {
  it('tells a process race in the order of ThreadSanitizer', () => {
    expectInOrder(linesOf(procsReport()), [
      '==================',
      'WARNING: deadheat: load-store race (pid=14) [harmful]',
      '  R1: sh creates obj/ while cc1 writes obj/a.o',
      '  Load of /home/me/project/obj by process cc1 (pid 14): openat(AT_FDCWD, "obj/a.o", O_CREAT)',
      '    #0 __open64 (/usr/lib/libc.so.6+0xf8a2d)',
      '    #1 main (/usr/libexec/cc1+0x5120)',
      '  Previous store of /home/me/project/obj by process sh (pid 13): mkdir("obj", 0777)',
      '  Location is dirent /home/me/project/obj',
      '  Process cc1 (pid 14) was created by make (pid 12) at: vfork()',
      '    running: cc1 -quiet a.c',
      '  Process make (pid 12) was started as: make -j4',
      '  Process sh (pid 13) was created by make (pid 12) at: vfork()',
      '    #0 __vfork (libc.so.6)',
      '  Interleaving that shows it:',
      '    1. cc1 (pid 14): openat(AT_FDCWD, "obj/a.o", O_CREAT) = -ENOENT',
      '    2. sh (pid 13): mkdir("obj", 0777) = 0',
      '  Evidence: exit status 2 instead of 0:',
      '    make: *** [a.o] Error 1',
      '  Seen 12 times',
      '  Replay: deadheat replay procs-3 R1',
      'SUMMARY: deadheat: load-store race on /home/me/project/obj in cc1 and sh',
      '==================',
      'deadheat: warning: io_uring_enter was seen 3 times and is not modelled',
      'deadheat: suppressed 2 races:',
      '  2 by process:ccache',
      'deadheat: reported 1 race',
      '',
    ]);
  });

  it('names an ancestor once', () => {
    const mentions = linesOf(procsReport()).filter((line) => line.includes('was started as'));
    expect(mentions).toHaveLength(1);
  });

  it('tells threads of one process apart', () => {
    expectInOrder(linesOf(threadsReport()), [
      'WARNING: deadheat: data race (pid=20) [confirmed]',
      '  Write of jobs_done[0] by thread 22 of pool (pid 20): 4 bytes at 0x55d0c4',
      '    #0 add_job /home/me/project/src/queue.c:41 (./pool+0x1a2c)',
      '  Previous read of jobs_done[0] by thread 23 of pool (pid 20): 4 bytes at 0x55d0c4',
      '  Thread 22 of pool (pid 20) was created by thread 20 at: pthread_create',
      '    #0 main /home/me/project/src/main.c:9 (./pool+0x1100)',
      '    2. pool (pid 20, thread 23): read jobs_done[0]',
      '  May be harmless: statistics counter',
      'SUMMARY: deadheat: data race on jobs_done[0] in add_job and report_progress',
    ]);
  });

  it('tells how a predicted race was found, and what leads there', () => {
    expectInOrder(linesOf(predictedReport()), [
      'WARNING: deadheat: data race (pid=20) [predicted]',
      '  Write of jobs_done[0] by thread worker#1 of pool (pid 20): 4 bytes at 0x55d0c4',
      '  Previous read of jobs_done[0] by thread worker#2 of pool (pid 20): 4 bytes at 0x55d0c4',
      '  Thread worker#1 of pool (pid 20) was created by thread main at: pthread_create',
      '  Steps that lead both threads there:',
      '    … after 3 earlier steps, as recorded',
      '    main      fork worker#1  /home/me/project/src/main.c:9',
      '    worker#1  acquire m',
      '  Predicted: by happens-before: nothing orders the two in the traced run',
      '    it may be a mere consequence of another race',
    ]);
    const report = predictedReport();
    report.races[0]!.steps = [];
    for (const access of report.races[0]!.accesses) access.pid = 0;
    expectInOrder(linesOf(report), [
      'WARNING: deadheat: data race [predicted]',
      '  Write of jobs_done[0] by thread worker#1: 4 bytes at 0x55d0c4',
      '  Both threads come there without any step before.',
    ]);
  });

  it('prints what it has when little is known', () => {
    expectInOrder(linesOf(sampleReport()), [
      'WARNING: deadheat: unlocked-access race (pid=20) [predicted]',
      '    #0 ?? (/usr/sbin/server+0x4f10)',
      'SUMMARY: deadheat: unlocked-access race on block of 64 bytes in pool and pool',
    ]);
  });

  it('says what engines mean by a detected race, and counts', () => {
    const text = formatText(tolerateReport());
    expect(text).toContain('asymmetric race (pid=20) [tolerated]');
    expect(text).toContain('asymmetric race (pid=20) [not tolerated]');
    expect(text).toContain('  Values: the section found 0x5 and made it 0x6 under queue_lock');
    expect(text).toContain('    others made it 0x9 without it; memory has 0x9 (class IVc)');
    const [race] = procsReport().races;
    const untried = { ...procsReport(), races: [{ ...race!, verdict: 'detected' as const }] };
    expect(formatText(untried)).toContain('[not validated yet]');
    expect(text).toMatch(/\ndeadheat: reported 2 races: 1 not tolerated, 1 tolerated\n$/);
    expect(formatText({ ...tolerateReport(), races: [] })).toBe('deadheat: reported 0 races\n');
  });

  it('says how to prove what is predicted of samples, and in which process if it ran already', () => {
    const report = { ...sampleReport(), command: ['./server'], run: 'sample-2, sample-3' };
    const [first] = report.races;
    expect(formatText(report)).toContain(
      'deadheat: to prove the race that is predicted: deadheat analyze sample-2 sample-3 --confirm\n',
    );
    const two = formatText({ ...report, command: [], races: [first!, { ...first!, id: 'R2' }] });
    expect(two.match(/to prove .*/g)).toEqual([
      'to prove what is predicted: deadheat analyze sample-2 sample-3 --confirm --pid PID',
    ]);
    const proven = { ...report, races: [{ ...first!, verdict: 'confirmed' as const }] };
    expect(formatText(proven)).not.toContain('to prove');
  });

  it('calls threads by their numbers where both have one name', () => {
    const report = sampleReport();
    const [one, other] = report.races[0]!.accesses;
    const told = (...names: string[]): string[] | null => {
      const accesses = [one!, other!].map((access, i) => ({ ...access, threadName: names[i]! }));
      const races = [{ ...report.races[0]!, accesses }];
      return formatText({ ...report, races }).match(/by thread \S+ of/g);
    };
    expect(told('worker', 'main')).toEqual(['by thread worker of', 'by thread main of']);
    expect(told('worker', 'worker')).toEqual(['by thread 41 of', 'by thread 42 of']);
  });

  it('counts what it does not show, as the page does', () => {
    const [race] = procsReport().races;
    const verdicts = ['benign', 'harmful', 'benign'] as const;
    const report = {
      ...procsReport(),
      races: verdicts.map((verdict, i) => ({ ...race!, id: `R${i + 1}`, verdict })),
    };
    const counted = (all: boolean): string => formatText(report, { all }).split('\n').at(-2)!;
    expect(counted(false)).toBe('deadheat: reported 1 race of 3: 1 harmful, 2 benign');
    expect(counted(true)).toBe('deadheat: reported 3 races: 1 harmful, 2 benign');
    report.races.splice(1, 1);
    expect(counted(false)).toBe('deadheat: reported 0 races of 2: 2 benign');
  });

  it('survives a circle of parents', () => {
    const report = procsReport();
    report.tasks![0]!.parent = { pid: 14, thread: 14 };
    expect(formatText(report)).toContain('Process make (pid 12) was created by cc1 (pid 14)\n');
  });

  it('names a parent nobody recorded by its pid', () => {
    const report = procsReport();
    report.tasks!.shift();
    expect(formatText(report)).toContain('Process cc1 (pid 14) was created by pid 12 at: vfork()');
  });

  it('lets no byte of a name reach the terminal as it is', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(formatText(report).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }),
    );
  });

  it.each(Object.entries(allReports))('says the same about %s in colour', (_, build) => {
    const coloured = formatText(build(), { color: true });
    expect(coloured).toContain('\u001b[');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours start with one.
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(formatText(build()));
  });
});

function expectInOrder(lines: string[], wanted: string[]): void {
  let from = 0;
  for (const line of wanted) {
    const at = lines.indexOf(line, from);
    expect(at, `"${line}" after line ${from} of\n${lines.join('\n')}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
}
