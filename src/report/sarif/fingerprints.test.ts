import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Race, Report } from '../model.ts';
import { procsReport, projectRoot, threadsReport } from '../testdata/reports.ts';
import { fingerprints } from './fingerprints.ts';

const fingerprint = (report: Report, root = projectRoot): string => fingerprints(report, root)[0]!;

/** The same program run again: other pids, addresses and line numbers, the sides swapped. */
function anotherRun(report: Report, shift: number): Report {
  const races = report.races.map((race) => ({
    ...race,
    accesses: race.accesses.toReversed().map((access) => ({
      ...access,
      pid: access.pid + shift,
      thread: access.thread + shift,
      what: access.what.replace(/0x[0-9a-f]+/, `0x${(0xabcdef + shift).toString(16)}`),
      stack: [],
      site: { ...access.site, address: `0x${shift.toString(16)}`, line: shift + 1 },
    })),
  }));
  return { ...report, races };
}

function withRace(change: (race: Race) => void): Report {
  const report = procsReport();
  change(report.races[0]!);
  return report;
}

describe('fingerprints', () => {
  it('stay the same from run to run', () => {
    fc.assert(
      fc.property(fc.nat(), (shift) => {
        for (const report of [procsReport(), threadsReport()]) {
          expect(fingerprint(anotherRun(report, shift))).toBe(fingerprint(report));
        }
      }),
    );
  });

  it('stay the same in another checkout', () => {
    const moved = JSON.parse(
      JSON.stringify(threadsReport()).replaceAll(projectRoot, '/build/7'),
    ) as Report;
    expect(fingerprint(moved, '/build/7')).toBe(fingerprint(threadsReport()));
  });

  it('ignore pids inside names', () => {
    const proc = (pid: number): Report =>
      withRace((race) => {
        race.object.name = `/proc/${pid}/stat`;
        race.accesses[0]!.what = `open("/proc/${pid}/stat")`;
      });
    expect(fingerprint(proc(4711))).toBe(fingerprint(proc(14)));
  });

  it.each<[string, (race: Race) => void]>([
    ['kind', (race) => (race.kind = 'wait-wakeup')],
    ['object', (race) => (race.object.name = '/home/me/project/lib')],
    ['program', (race) => (race.accesses[0]!.process = 'as')],
    ['call', (race) => (race.accesses[1]!.what = 'rmdir("obj")')],
    ['operation', (race) => (race.accesses[1]!.op = 'load')],
    ['function', (race) => (race.accesses[1]!.site = { function: 'do_mkdir' })],
  ])('tell races apart by their %s', (_, change) => {
    expect(fingerprint(withRace(change))).not.toBe(fingerprint(procsReport()));
  });

  it('number races that look the same', () => {
    const report = procsReport();
    report.races.push({ ...report.races[0]!, id: 'R2' });
    const [first, second] = fingerprints(report, projectRoot);
    expect(first).toMatch(/^[0-9a-f]{32}:1$/);
    expect(second).toBe(first!.replace(/1$/, '2'));
  });
});
