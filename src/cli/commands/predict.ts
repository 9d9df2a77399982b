import { Command } from 'commander';
import {
  addPredictionOptions,
  addReportOptions,
  type PredictionOptions,
  type ReportOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

interface PredictOptions extends ReportOptions, PredictionOptions {
  csp?: string;
  salvage?: true;
}

export function predictCommand(): Command {
  return addPredictionOptions(addReportOptions(new Command('predict')))
    .description('predict races between threads from a traced run, also those that did not show')
    .argument('[run]', "name or path of a run, or 'latest' (default)")
    .option('--csp <dir>', 'write each check as a CSPm script, which the model checker FDR reads')
    .option('--salvage', 'make do with the readable part of a damaged trace')
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(name: string | undefined, options: PredictOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { findRunOf } = await import('../../trace/find-run.ts');
  const { makeScriptFolder } = await import('../../threads/script-folder.ts');
  const { present, requireReportable } = await import('../present.ts');
  const { predictIn } = await import('../predicting.ts');
  requireReportable(options);
  const run = findRunOf('threads', name ?? 'latest');
  if (options.csp !== undefined) makeScriptFolder(options.csp);
  const { report, interruptedBy } = await predictIn(run, options, terminal);
  const outcome = present(report, options, terminal);
  return interruptedBy === undefined ? outcome : { signal: interruptedBy };
}

const DETAILS = `
Looks for two accesses to the same memory, by different threads, at least one of them a
write, that could come at the same moment. First for those that nothing orders in the traced
run (happens-before), then for those that meet in another order of the same steps: one in
which locks are taken in the same turns (sync-preserving), or any (search), for which there
is a budget of time. What the search does not come to is told as undecided.

With --sound, every read before a race has to find the same value as in the traced run, so
that the threads do come there; fewer races are found.

Exits with 66 if any race is reported, by whichever of these; undecided ones are none.
`;

const EXAMPLES = `
Examples:
  deadheat predict
  deadheat predict threads-3 --sound --budget 5m
  deadheat predict threads-3 --csp checks --json races.json
`;
