/** Leaves a report where it belongs; a run that may only be read can still be analysed. */
import { UserError } from '../base/user-error.ts';
import { formatJson } from './json.ts';
import type { Report } from './model.ts';

/** With a warning, if it could not be saved. */
export function keptReport(report: Report, save: (text: string) => void): Report {
  try {
    save(formatJson(report));
    return report;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...report, warnings: [...(report.warnings ?? []), error.message] };
  }
}
