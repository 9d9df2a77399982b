import { Command, Option } from 'commander';
import { UserError } from '../../base/user-error.ts';
import type { Report } from '../../report/model.ts';
import type { ConfirmedRun } from '../../threads/confirm-run.ts';
import type { Run } from '../../trace/run-directory.ts';
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
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

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
    .addHelpText('after', details(DETAILS + EXAMPLES))
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
  const { predictIn } = await import('../predicting.ts');
  const { isProven } = await import('../../report/findings.ts');
  const predicted = await predictIn(run, options, terminal);
  const { report, interruptedBy } =
    options.confirm === false || predicted.interruptedBy !== undefined
      ? predicted
      : await confirmed(run, predicted.report, options, terminal);
  const status = present(report, options, terminal, isProven);
  return interruptedBy === undefined ? status : { signal: interruptedBy };
}

/** If the program cannot be run again, what was predicted is still worth telling. */
async function confirmed(
  run: Run,
  report: Report,
  options: ThreadsOptions,
  terminal: Terminal,
): Promise<ConfirmedRun> {
  if (report.races.length === 0) return { report, interruptedBy: undefined };
  const { confirmPredictions, withWitnesses } = await import('../confirming.ts');
  try {
    return await confirmPredictions(run, await withWitnesses(run, report), options, terminal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    terminal.warn(`races were predicted, but not tried: ${error.message}; ${error.remedy}`);
    return { report, interruptedBy: undefined };
  }
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
