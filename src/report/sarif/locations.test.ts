import { describe, expect, it } from 'vitest';
import type { Report } from '../model.ts';
import { taskTable } from '../tasks.ts';
import { procsReport, projectRoot, threadsReport } from '../testdata/reports.ts';
import { locate } from './locations.ts';

/** `uri:line` of one access of the first race. */
function placeOf(report: Report, access: number): string {
  const race = report.races[0]!;
  const context = { sourceRoot: projectRoot, tasks: taskTable(report) };
  const { physicalLocation } = locate(race, race.accesses[access]!, 'here', context);
  return `${physicalLocation!.artifactLocation!.uri}:${physicalLocation!.region!.startLine}`;
}

function elsewhere(): Report {
  const report = procsReport();
  report.races[0]!.object.name = '/tmp/lock';
  return report;
}

describe('where a race is pinned', () => {
  it('is its source line', () => {
    expect(placeOf(threadsReport(), 1)).toBe('src/progress.c:12');
  });

  it('is the innermost frame of the project, not of a library', () => {
    const report = threadsReport();
    const library = { function: 'memcpy', file: '/usr/src/glibc/memcpy.c', line: 3 };
    const access = report.races[0]!.accesses[0]!;
    access.stack.unshift(library);
    access.site = library;
    expect(placeOf(report, 0)).toBe('src/queue.c:41');
  });

  it('is the object when there is no source', () => {
    expect(placeOf(procsReport(), 0)).toBe('obj:1');
  });

  it('is the script when the object lies outside the project', () => {
    expect(placeOf(elsewhere(), 1)).toBe('build.sh:1');
  });

  it('is the object after all when no script is named', () => {
    const report = elsewhere();
    report.tasks![1]!.command = ['/bin/sh', '-c', 'mkdir obj'];
    expect(placeOf(report, 1)).toBe('file:///tmp/lock:1');
  });

  it('is the program in the end', () => {
    const report = procsReport();
    report.races[0]!.object.name = 'pipe';
    expect(placeOf(report, 0)).toBe('file:///usr/lib/libc.so.6:1');
    report.races[0]!.accesses[0] = { ...report.races[0]!.accesses[0]!, site: {}, stack: [] };
    expect(placeOf(report, 0)).toBe('cc1:1');
    report.tasks![2]!.command = ['/usr/libexec/cc1'];
    expect(placeOf(report, 0)).toBe('file:///usr/libexec/cc1:1');
    report.tasks = undefined;
    expect(placeOf(report, 0)).toBe('cc1:1');
  });
});
