/**
 * Reads a report.json that somebody named on the command line, and says what is wrong with it in
 * words that help:
 *
 *   deadheat: report.json has format version 2, this deadheat reads up to 1; update deadheat
 *   deadheat: report.json is not a report: races[0].verdict: watch cannot say "benign"; …
 *
 * The version is looked at first: a newer report is not "malformed".
 */
import { z } from 'zod';
import { err, ok, type Result, tryTo } from '../base/result.ts';
import { UserError } from '../base/user-error.ts';
import { type Report, reportSchema, reportVersion } from './model.ts';

const versionOnly = z.object({ schema: z.int() });

/** `path` is only for the messages. */
export function parseReport(text: string, path: string): Result<Report, UserError> {
  const json = tryTo((): unknown => JSON.parse(text));
  if (!json.ok) return malformed(path, json.error.message);

  const version = versionOnly.safeParse(json.value);
  if (version.success && version.data.schema > reportVersion) {
    return err(
      new UserError(
        `${path} has format version ${version.data.schema}, this deadheat reads up to ${reportVersion}`,
        'update deadheat',
      ),
    );
  }

  const report = reportSchema.safeParse(json.value);
  if (report.success) return ok(report.data);
  return malformed(path, report.error.issues.map(describeIssue).join('; '));
}

function malformed(path: string, why: string): Result<never, UserError> {
  return err(
    new UserError(
      `${path} is not a report: ${why}`,
      'name a report.json that deadheat wrote, or run the engine again',
    ),
  );
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const where = z.core.toDotPath(issue.path);
  return where === '' ? issue.message : `${where}: ${issue.message}`;
}
