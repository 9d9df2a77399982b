import { Command } from 'commander';
import {
  addDetectionOptions,
  addReportOptions,
  addValidationOptions,
  type DetectionOptions,
  type ReportOptions,
  type ValidationOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export function validateCommand(): Command {
  return addValidationOptions(addDetectionOptions(addReportOptions(new Command('validate'))))
    .description('run the races of a recorded run the other way round, and see which do harm')
    .argument('[run]', "name or path of a run, or 'latest' (default)")
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(
  name: string | undefined,
  options: ReportOptions & DetectionOptions & ValidationOptions,
): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { findRunOf } = await import('../../trace/find-run.ts');
  const { present, requireReportable } = await import('../present.ts');
  const { validateRun } = await import('../validating.ts');
  requireReportable(options);
  const run = findRunOf('procs', name ?? 'latest');
  const { report, interruptedBy } = await validateRun(run, options, terminal);
  const outcome = present(report, options, terminal);
  return interruptedBy === undefined ? outcome : { signal: interruptedBy };
}

const DETAILS = `
Each race is run in a sandbox, from the files with which the recorded run began: as recorded up
to the race, then the racing steps the other way round, then freely. A race is harmful if that
ends worse than the recorded order does, twice: death by a signal, another exit status, a hang,
new error messages, files unlike those of every serial order, processes left over, or a --check
that fails.
`;

const EXAMPLES = `
Examples:
  deadheat validate
  deadheat validate procs-3 --budget 60s
  deadheat validate --check 'sqlite3 db "pragma integrity_check" | grep -qx ok'
`;
