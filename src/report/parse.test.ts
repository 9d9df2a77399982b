import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../base/user-error.ts';
import { formatJson } from './json.ts';
import { parseReport } from './parse.ts';
import { arbitraryReport } from './testdata/arbitrary.ts';
import { procsReport, watchReport } from './testdata/reports.ts';

function errorOf(text: string): UserError {
  const parsed = parseReport(text, 'old/report.json');
  if (parsed.ok) throw new Error('expected an error');
  expect(parsed.error).toBeInstanceOf(UserError);
  return parsed.error;
}

describe('a report read from disk', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(arbitraryReport, (report) => {
        expect(parseReport(formatJson(report), 'x')).toEqual({ ok: true, value: report });
      }),
    );
  });

  it('of a newer version asks for an update, whatever else it holds', () => {
    const error = errorOf('{"schema": 2, "races": "elsewhere"}');
    expect(error.message).toBe('old/report.json has format version 2, this deadheat reads up to 1');
    expect(error.remedy).toBe('update deadheat');
  });

  it('says where it is malformed', () => {
    const broken = { ...procsReport(), exit: { code: 'none' } };
    expect(errorOf(JSON.stringify(broken)).message).toMatch(
      /^old\/report\.json is not a report: exit\.code: /,
    );
    const wrongVerdict = { ...watchReport(), engine: 'procs' };
    expect(errorOf(JSON.stringify(wrongVerdict)).message).toContain(
      'races[0].verdict: procs cannot say "confirmed"',
    );
  });

  it.each(['', '{"schema": 1', '[]', 'null', '{"schema": "1"}'])('is not %j', (text) => {
    expect(errorOf(text).message).toContain('old/report.json is not a report: ');
  });
});
