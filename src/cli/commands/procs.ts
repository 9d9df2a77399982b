import { Command } from 'commander';
import { UserError } from '../../base/user-error.ts';
import type { Report } from '../../report/model.ts';
import type { Run } from '../../trace/run-directory.ts';
import {
  addDetectionOptions,
  addRecordOptions,
  addReportOptions,
  addTarget,
  addValidationOptions,
  type DetectionOptions,
  type RecordOptions,
  type ReportOptions,
  SANDBOX_DETAILS,
  type ValidationOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import type { Validated } from '../validating.ts';
import { version } from '../version.ts';

interface ProcsOptions extends ReportOptions, DetectionOptions, RecordOptions, ValidationOptions {
  /** --no-validate */
  validate: boolean;
}

export function procsCommand(): Command {
  const command = addDetectionOptions(addReportOptions(new Command('procs')));
  return addTarget(addValidationOptions(addRecordOptions(command)))
    .option('--no-validate', 'only find races, do not run them')
    .description('find races between the processes of a program')
    .addHelpText('after', details(DETAILS + SANDBOX_DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(command: string[], options: ProcsOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { present, requireReportable } = await import('../present.ts');
  requireReportable(options);
  const { record } = await import('../recording.ts');
  let validation: Validated | undefined;
  const recorded = await record(
    command,
    options,
    terminal,
    async (run, { interruptedBy, failure }) => {
      if (interruptedBy !== undefined || failure || options.validate === false) return;
      validation = await validated(run, options, terminal);
    },
  );
  if (recorded.recording.interruptedBy !== undefined) return recorded.outcome;
  const report = validation?.report ?? (await detected(recorded.run, options, terminal));
  const outcome = present(report, options, terminal);
  const interruptedBy = validation?.interruptedBy;
  return interruptedBy === undefined ? outcome : { signal: interruptedBy };
}

/** If the program cannot be run again, what was found is still worth telling. */
async function validated(
  run: Run,
  options: ProcsOptions,
  terminal: Terminal,
): Promise<Validated | undefined> {
  const { validateRun } = await import('../validating.ts');
  try {
    return await validateRun(run, options, terminal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    terminal.warn(`races were found, but not tried: ${error.message}; ${error.remedy}`);
    return undefined;
  }
}

/** What was recorded in place cannot be run again from where it started. */
async function detected(
  { path }: Run,
  options: DetectionOptions,
  terminal: Terminal,
): Promise<Report> {
  const { analyseMany } = await import('../../procs/analyse-many.ts');
  const { showingProgress } = await import('../progress.ts');
  const how = { salvage: false, all: options.all ?? false };
  const [report] = await showingProgress(terminal, () => analyseMany([path], version, how, 1));
  return report!;
}

const DETAILS = `
Records the program, then looks for steps of different processes that touch the same file,
folder, process or stream, of which at least one changes it, and that nothing puts in order:
no fork, no wait, no pipe or socket, no signal, no lock. They may come the other way round in
the next run. Waits that may be ended by either of two events, and signals that may come too
early, are found too.

Then runs each race the other way round in a sandbox, and reports those that do harm;
--all also shows the others. With --in-place, races are only found.
`;

const EXAMPLES = `
Examples:
  deadheat procs -- make -j4
  deadheat procs --sarif races.sarif -- ./test.sh
  deadheat procs --suppressions known.txt --error-exitcode 1 -- sh -c 'a & b & wait'
`;
