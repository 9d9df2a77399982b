import { Command, Option } from 'commander';
import {
  addReportOptions,
  addTimeoutOption,
  duration,
  type ReportOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

interface ConfirmOptions extends ReportOptions {
  timeout?: number;
  budget?: number;
}

export function confirmCommand(): Command {
  return addTimeoutOption(
    addReportOptions(new Command('confirm')),
    'twice as long as when it was traced',
  )
    .description('show predicted races by running the program so that both threads meet')
    .argument('[run]', "name or path of a run, or 'latest' (default)")
    .argument('[race...]', 'R1, R2, … (default: all that are not confirmed yet)')
    .addOption(
      new Option('--budget <time>', 'for how long to try races: 90s, 5m, 1h').argParser(duration),
    )
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(
  name: string | undefined,
  ids: readonly string[],
  options: ConfirmOptions,
): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { findRunOf } = await import('../../trace/find-run.ts');
  const { isProven } = await import('../../report/findings.ts');
  const { present, requireReportable } = await import('../present.ts');
  const { confirmPredictions, goWhereItRan, predictionsOf, requireProgram, requireRace } =
    await import('../confirming.ts');
  requireReportable(options);
  const run = findRunOf('threads', name ?? 'latest');
  requireProgram(run);
  const predictions = await predictionsOf(run, terminal);
  for (const id of ids) requireRace(run, id, predictions.report.races);
  goWhereItRan(run);
  const wanted = { ...options, ...(ids.length > 0 && { ids }) };
  const { report, interruptedBy } = await confirmPredictions(run, predictions, wanted, terminal);
  const outcome = present(report, options, terminal, isProven);
  return interruptedBy === undefined ? outcome : { signal: interruptedBy };
}

const DETAILS = `
Runs the program again for each race, at full speed: synchronisation follows the order that
leads to the race, and breakpoints hold both threads right before the two accesses. Once they
stand there at the same moment, about to touch the same bytes, the race is confirmed; their
stacks, registers and what was in memory are taken, and the program goes on. If that cannot
be brought about, the race stays predicted, with the reason.

The program's output is thrown away; its files are the real ones.

Exits with 66 if any race is confirmed, or was there in the traced order already.
`;

const EXAMPLES = `
Examples:
  deadheat confirm
  deadheat confirm threads-3 R1 R4
  deadheat confirm threads-3 --timeout 60s --json races.json
`;
