import { Command, Option } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addReportOptions,
  collected,
  duration,
  processNumber,
  type ReportOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export interface AnalyzeOptions extends ReportOptions {
  symbols: string[];
  confirm?: true;
  pid?: number;
  duration: number;
}

const USUAL_CONFIRM_MS = 60_000;

export function analyzeCommand(): Command {
  return addReportOptions(new Command('analyze'))
    .description(
      'find races in sampled runs, of one machine or several, by the locks that were held',
    )
    .argument('[run...]', "names or paths of runs, or 'latest' (default)")
    .addOption(
      new Option('--symbols <dir>', 'look here for programs and libraries, too, by their build-ids')
        .argParser(collected)
        .default([], 'none'),
    )
    .option(
      '--confirm',
      "run the program again under 'deadheat watch', to catch the races in the act",
    )
    .addOption(
      new Option('--pid <pid>', 'with --confirm: watch this process instead').argParser(
        processNumber,
      ),
    )
    .addOption(
      new Option('--duration <time>', 'with --confirm: for how long to watch: 90s, 5m')
        .argParser(duration)
        .default(USUAL_CONFIRM_MS, '60s'),
    )
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(names: string[], options: AnalyzeOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  if (options.pid !== undefined && !options.confirm) {
    throw new UserError('--pid names the process that --confirm watches', 'add --confirm');
  }
  const { requireReportable } = await import('../present.ts');
  requireReportable(options);
  const { analyzeAndTell } = await import('../analyzing.ts');
  return analyzeAndTell(names.length === 0 ? ['latest'] : names, options, terminal);
}

const DETAILS = `
Two threads have touched the same memory, at least one of them has written, they held no lock
in common, and nothing else put them in order (thread starts and joins, condition variables,
barriers, semaphores, messages): that is a race which is predicted. Runs of the same build are
analysed together, wherever they were made: one may have sampled one side, another the other.
Programs are found where they were, if they are still the same; else give --symbols. The report
also says how likely rarer races would have been found, and how long to go on.

With --confirm, both sides are watched in a further run of the program (or in --pid), and what
is caught in the act there is confirmed.

Exits with 66 if any race is reported.
`;

const EXAMPLES = `
Examples:
  deadheat analyze
  deadheat analyze sample-3 sample-4 --json races.json
  deadheat analyze web-1/sample-1 web-2/sample-1 --symbols build/
  deadheat analyze latest --confirm
`;
