import { Command } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addDetectionOptions,
  addJobsOption,
  addReportOptions,
  type DetectionOptions,
  type ReportOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface DetectOptions extends ReportOptions, DetectionOptions {
  salvage?: true;
  jobs: number;
}

export function detectCommand(): Command {
  return addJobsOption(addDetectionOptions(addReportOptions(new Command('detect'))))
    .description('find the races in recorded runs')
    .argument('[run...]', "names or paths of runs, or 'latest' (default)")
    .option('--salvage', 'make do with the readable part of a damaged recording')
    .addHelpText('after', details(EXAMPLES))
    .action(endingWith(run));
}

async function run(names: string[], options: DetectOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { findRunOf } = await import('../../trace/find-run.ts');
  const { analyseMany } = await import('../../procs/analyse-many.ts');
  const { showingProgress } = await import('../progress.ts');
  const { present, requireReportable } = await import('../present.ts');
  requireReportable(options);
  const runs = (names.length === 0 ? ['latest'] : names).map((name) => findRunOf('procs', name));
  if (runs.length > 1 && (options.json || options.sarif)) {
    throw new UserError(
      '--json and --sarif take one run at a time',
      "leave them out and use 'deadheat report RUN --json FILE' for each run",
    );
  }
  const paths = runs.map(({ path }) => path);
  const how = { salvage: options.salvage ?? false, all: options.all ?? false };
  const reports = await showingProgress(terminal, () =>
    analyseMany(paths, version, how, options.jobs),
  );
  const statuses = reports.map((report) => {
    if (runs.length > 1) terminal.print(terminal.colors.bold(`${report.run}:`));
    return present(report, options, terminal).status;
  });
  return { status: Math.max(...statuses) };
}

const EXAMPLES = `
Examples:
  deadheat detect
  deadheat detect procs-3 --json races.json
  deadheat detect procs-1 procs-2 procs-3 --jobs 2
  deadheat detect --salvage procs-4
`;
