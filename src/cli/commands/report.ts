import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { UserError } from '../../base/user-error.ts';
import type { Report } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import { addReportOptions, type HtmlOptions, type ReportOptions } from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export function reportCommand(): Command {
  return addReportOptions(new Command('report'))
    .description('show the report of an earlier run')
    .argument('[run]', "name or path of the run, or 'latest'", 'latest')
    .option('--html <file>', 'write the report as a page for browsers, in one file (- for stdout)')
    .option('--open', 'show that page in a browser; without --html, it is kept in the run')
    .option('--schema', 'print the JSON Schema of report.json instead')
    .addHelpText('after', details(EXAMPLES))
    .action(endingWith(run));
}

async function run(
  name: string,
  options: ReportOptions & HtmlOptions & { schema?: true },
): Promise<Outcome> {
  const terminal = new Terminal(options);
  if (options.schema) {
    const { reportJsonSchema } = await import('../../report/json-schema.ts');
    terminal.print(JSON.stringify(reportJsonSchema(), null, 2));
    return { status: 0 };
  }
  const { findRun } = await import('../../trace/find-run.ts');
  const { parseReport } = await import('../../report/parse.ts');
  const { presentShown, requireReportable, shownReport } = await import('../present.ts');
  requireReportable(options);
  const found = findRun(name);
  const report = parseReport(readReport(found), found.reportFile);
  if (!report.ok) throw report.error;
  const shown = shownReport(report.value, options, terminal);
  if (options.html !== undefined || options.open) await makePage(shown, found, options, terminal);
  return presentShown(shown, options, terminal);
}

async function makePage(
  report: Report,
  run: Run,
  options: HtmlOptions,
  terminal: Terminal,
): Promise<void> {
  const { showingProgress } = await import('../progress.ts');
  const { openPage, pageFile, requireOpenable, writePage } = await import('../html-report.ts');
  requireOpenable(options);
  const file = pageFile(options, run);
  await showingProgress(terminal, () => writePage(file, report, run));
  if (file !== '-') terminal.remark(`the page is in ${file}`);
  if (options.open) openPage(file);
}

function readReport({ reportFile: file, name: run, info }: Run): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      throw new UserError(`cannot read '${file}' (${code})`, 'change its permissions');
    }
    const command = info.engine === 'threads' ? 'predict' : 'detect';
    throw new UserError(`${run} has no report yet`, `make it with: deadheat ${command} ${run}`);
  }
}

const EXAMPLES = `
Examples:
  deadheat report
  deadheat report procs-3 --json report.json --sarif races.sarif
  deadheat report latest --html report.html --open
  deadheat report --schema > report.schema.json
`;
