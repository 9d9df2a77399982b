import { Command } from 'commander';
import {
  addDetectionOptions,
  addRecordOptions,
  addReportOptions,
  addTarget,
  type DetectionOptions,
  type RecordOptions,
  type ReportOptions,
  SANDBOX_DETAILS,
} from '../common-options.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export function procsCommand(): Command {
  return addTarget(addRecordOptions(addDetectionOptions(addReportOptions(new Command('procs')))))
    .description('find races between the processes of a program')
    .addHelpText('after', DETAILS + SANDBOX_DETAILS + EXAMPLES)
    .action(endingWith(run));
}

async function run(
  command: string[],
  options: ReportOptions & DetectionOptions & RecordOptions,
): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { present, requireOneStdout } = await import('../present.ts');
  requireOneStdout(options);
  const { record } = await import('../recording.ts');
  const recorded = await record(command, options, terminal);
  if (recorded.recording.interruptedBy !== undefined) return recorded.outcome;
  const { analyseMany } = await import('../../procs/analyse-many.ts');
  const how = { salvage: false, all: options.all ?? false };
  const [report] = await analyseMany([recorded.run.path], version, how, 1);
  return present(report!, options, terminal);
}

const DETAILS = `
Records the program, then looks for steps of different processes that touch the same file,
folder, process or stream, of which at least one changes it, and that nothing puts in order:
no fork, no wait, no pipe or socket, no signal, no lock. They may come the other way round in
the next run. Waits that may be ended by either of two events, and signals that may come too
early, are reported too.
Races are reported as found; they are not validated by running the other order yet.
`;

const EXAMPLES = `
Examples:
  deadheat procs -- make -j4
  deadheat procs --sarif races.sarif -- ./test.sh
  deadheat procs --suppressions known.txt --error-exitcode 1 -- sh -c 'a & b & wait'
`;
