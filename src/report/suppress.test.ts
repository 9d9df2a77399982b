import { describe, expect, it } from 'vitest';
import type { Report } from './model.ts';
import { applySuppressions } from './suppress.ts';
import { parseSuppressions, ruleText, type Suppression } from './suppressions.ts';
import { procsReport, threadsReport } from './testdata/reports.ts';

function rules(...lines: string[]): Suppression[] {
  const parsed = parseSuppressions(lines.join('\n'), 'x.supp');
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

const hides = (report: Report, rule: string): boolean =>
  applySuppressions(report, rules(rule)).report.races.length === 0;

describe('suppressing', () => {
  it.each([
    'race:^add_job$',
    'race:src/queue.c$',
    'race:^start_thread',
    'race:libc.so.6',
    'race:^pool$',
    'race:jobs_done',
    'race:4 bytes at',
    'race_top:report_progress',
    'race_top:progress.c',
    'called_from_lib:libc.so',
    'process:^pool$',
    'path:jobs_done',
  ])('%s hides the race in the pool', (rule) => {
    expect(hides(threadsReport(), rule)).toBe(true);
  });

  it.each([
    'race:no_such_function',
    'race_top:start_thread',
    'race_top:jobs_done',
    'called_from_lib:add_job',
    'process:jobs_done',
    'path:pool',
  ])('%s does not', (rule) => {
    expect(hides(threadsReport(), rule)).toBe(false);
  });

  it('looks at a call without any stack', () => {
    expect(hides(procsReport(), 'race:^mkdir(')).toBe(true);
    expect(hides(procsReport(), 'race_top:mkdir')).toBe(false);
  });

  it('counts under the first rule that fits and tells which fit nothing', () => {
    const report = threadsReport();
    const [race] = report.races;
    report.races = [race!, { ...race!, id: 'R2', object: { type: 'memory', name: 'other' } }];
    report.races.push({ ...race!, id: 'R3' });
    report.suppressed = { 'path:jobs_done': 5, 'process:x': 1 };
    const result = applySuppressions(
      report,
      rules('race:nowhere', 'path:jobs_done', 'path:jobs', 'path:/tmp/'),
    );
    expect(result.report.races.map(({ id }) => id)).toEqual(['R2']);
    expect(result.report.suppressed).toEqual({ 'path:jobs_done': 7, 'process:x': 1 });
    expect(result.unused.map(ruleText)).toEqual(['race:nowhere', 'path:/tmp/']);
    expect(report.races).toHaveLength(3);
  });

  it('leaves a report alone when there is nothing to do', () => {
    expect(applySuppressions(threadsReport(), [])).toEqual({ report: threadsReport(), unused: [] });
  });
});
