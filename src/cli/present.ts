/** Shows a finished report the way the options ask for, and says how to exit because of it. */
import { UserError } from '../base/user-error.ts';
import { isFinding } from '../report/findings.ts';
import { formatJson } from '../report/json.ts';
import type { Race, Report } from '../report/model.ts';
import { formatSarif } from '../report/sarif.ts';
import { formatShortText } from '../report/short-text.ts';
import { applySuppressions } from '../report/suppress.ts';
import { type Suppression, unusedMessage } from '../report/suppressions.ts';
import { formatText } from '../report/text.ts';
import type { DetectionOptions, HtmlOptions, ReportOptions } from './common-options.ts';
import { readSuppressions } from './suppressions.ts';
import type { Terminal } from './terminal.ts';
import { writeOutput } from './write-output.ts';

/** Asked before anything long is done. */
export function requireReportable(options: ReportOptions & HtmlOptions): void {
  readSuppressions(options.suppressions);
  const [one, other] = ON_STDOUT.filter((format) => options[format] === '-');
  if (one === undefined || other === undefined) return;
  throw new UserError(
    `--${one} and --${other} cannot both go to stdout`,
    'name a file for one of them',
  );
}

/** What can take the place of the text. */
const ON_STDOUT = ['json', 'sarif', 'html'] as const;

/** `counts`: which races the exit status tells of. */
export function present(
  full: Report,
  options: ReportOptions & DetectionOptions,
  terminal: Terminal,
  counts: (race: Race) => boolean = isFinding,
): { status: number } {
  return presentShown(shownReport(full, options, terminal), options, terminal, counts);
}

/** Without what is suppressed. */
export function shownReport(full: Report, options: ReportOptions, terminal: Terminal): Report {
  return options.suppressions
    ? suppress(full, readSuppressions(options.suppressions), terminal)
    : full;
}

/** But for the page, which takes more than the report. */
export function presentShown(
  report: Report,
  options: ReportOptions & DetectionOptions & HtmlOptions,
  terminal: Terminal,
  counts: (race: Race) => boolean = isFinding,
): { status: number } {
  const status = report.races.some(counts) ? options.errorExitcode : 0;
  if (options.json) writeOutput(options.json, formatJson(report));
  if (options.sarif) {
    const sourceRoot = process.cwd();
    writeOutput(options.sarif, formatSarif(report, { sourceRoot, exitCode: status }));
  }
  const stdoutIsTaken = ON_STDOUT.some((format) => options[format] === '-');
  if (!stdoutIsTaken) terminal.print(asText(report, options, terminal));
  return { status };
}

function asText(
  report: Report,
  { all, verbose }: ReportOptions & DetectionOptions,
  terminal: Terminal,
): string {
  const how = { color: terminal.colored, all: all ?? false };
  return verbose ? formatText(report, how) : formatShortText(report, terminal.width, how);
}

function suppress(report: Report, rules: readonly Suppression[], terminal: Terminal): Report {
  const result = applySuppressions(report, rules);
  for (const rule of result.unused) terminal.warn(unusedMessage(rule));
  return result.report;
}
