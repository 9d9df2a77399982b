import { Command } from 'commander';
import {
  addReportOptions,
  addRunOptions,
  addTarget,
  type ReportOptions,
  type RunOptions,
} from '../common-options.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

export function procsCommand(): Command {
  return addTarget(addRunOptions(addReportOptions(new Command('procs'))))
    .description('find races between the processes of a program')
    .addHelpText('after', DETAILS)
    .action(endingWith(run));
}

async function run(command: string[], options: ReportOptions & RunOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { record } = await import('../recording.ts');
  const recorded = await record(command, options, terminal);
  if (recorded.recording.interruptedBy !== undefined) return recorded.outcome;
  const [{ analyse }, { present }] = await Promise.all([
    import('../../procs/analyse.ts'),
    import('../present.ts'),
  ]);
  const report = analyse(recorded.run, version, { salvage: false });
  return present(report, options, terminal);
}

const DETAILS = `
Records the program, then looks for pairs of system calls that touch the same file or
directory, of which at least one changes it, and that nothing puts in order: no fork, no
wait, no pipe, no signal. Such a pair may come the other way round in the next run.
Races are reported as found; they are not validated by running the other order yet.

Examples:
  deadheat procs -- make -j4
  deadheat procs --sarif races.sarif -- ./test.sh
  deadheat procs --suppressions known.txt --error-exitcode 1 -- sh -c 'a & b & wait'
`;
