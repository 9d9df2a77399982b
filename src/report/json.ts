/**
 * The report as report.json: 2-space indent, a newline at the end, keys in the order of the model
 * whatever order an engine built them in, so that two reports can be compared with `diff`.
 *
 * The order comes from running the report through the model once more. That is also the last
 * check before a report leaves the house: one that breaks the contract is a bug of ours.
 */
import { z } from 'zod';
import { assert } from '../base/assert.ts';
import { type Report, reportSchema } from './model.ts';

export interface JsonOptions {
  /** Spaces a level; 0 puts everything on one line. */
  readonly indent?: number;
}

export function formatJson(report: Report, options: JsonOptions = {}): string {
  const checked = reportSchema.safeParse(report);
  assert(checked.success, `the report breaks its own schema: ${describe(checked.error)}`);
  const { data } = checked;
  const sorted: Report = {
    ...data,
    ...(data.suppressed && { suppressed: sortKeys(data.suppressed) }),
    stats: sortKeys(data.stats),
  };
  return `${JSON.stringify(sorted, null, options.indent ?? 2)}\n`;
}

function describe(error: z.ZodError | undefined): string {
  return error === undefined ? '' : z.prettifyError(error);
}

function sortKeys<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
