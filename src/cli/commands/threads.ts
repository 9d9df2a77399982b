import { Command, Option } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addPredictionOptions,
  addReportOptions,
  addRunOptions,
  addTarget,
  addTimeoutOption,
  collected,
  type PredictionOptions,
  type ReportOptions,
  type RunOptions,
} from '../common-options.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface ThreadsOptions extends ReportOptions, PredictionOptions, RunOptions {
  also: string[];
  timeout?: number;
  /** --no-confirm */
  confirm: boolean;
}

export function threadsCommand(): Command {
  const command = addPredictionOptions(addReportOptions(new Command('threads')));
  return addTarget(addTimeoutOption(addRunOptions(command), 'no limit for the traced run'))
    .description('find races between the threads of a program')
    .addOption(
      new Option('--also <file>', 'look at this library, too, or this program that it starts')
        .argParser(collected)
        .default([], 'none'),
    )
    .option('--no-confirm', 'only predict races, do not run the program again')
    .addHelpText('after', DETAILS + EXAMPLES)
    .action(endingWith(run));
}

async function run(command: string[], options: ThreadsOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { present, requireReportable } = await import('../present.ts');
  requireReportable(options);
  const { traceAndTell } = await import('../tracing.ts');
  const { run, outcome } = await traceAndTell(command, options, terminal);
  // Whoever interrupts the program wants no more of it.
  if (outcome.interrupted) return outcome.own;
  const { predictRun } = await import('../../threads/predict-run.ts');
  const { isProven } = await import('../../report/findings.ts');
  const { sound = false, budget: budgetMs } = options;
  const predictions = predictRun(run, { version, sound, budgetMs });
  const { confirmPredictions } = await import('../confirming.ts');
  const confirmed =
    options.confirm === false
      ? { report: predictions.report, interruptedBy: undefined }
      : await confirmPredictions(run, predictions, options, terminal).catch((error: unknown) => {
          if (!(error instanceof UserError)) throw error;
          terminal.warn(`races were predicted, but not tried: ${error.message}; ${error.remedy}`);
          return { report: predictions.report, interruptedBy: undefined };
        });
  const { report, interruptedBy } = confirmed;
  const status = present(report, options, terminal, isProven);
  return interruptedBy === undefined ? status : { signal: interruptedBy };
}

const DETAILS = `
Traces the program (deadheat trace), predicts races from the trace, also those that did not
show (deadheat predict), and runs the program again for each of them, so that both threads
meet before the two accesses (deadheat confirm). No rebuild is needed; debug information
gives source lines.

Exits with 66 if any race is confirmed, or was there in the traced order already; races that
are only predicted are reported, but do not count.
`;

const EXAMPLES = `
Examples:
  deadheat threads -- ./server --self-test
  deadheat threads --also libqueue.so --json races.json -- ./test
  deadheat threads --no-confirm --budget 5m -- ./long-test
`;
