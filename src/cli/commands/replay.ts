import { Command } from 'commander';
import { addDisplayOptions, addTimeoutOption, type DisplayOptions } from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

interface ReplayOptions extends DisplayOptions {
  timeout?: number;
}

export function replayCommand(): Command {
  return addTimeoutOption(addDisplayOptions(new Command('replay')), '10m')
    .description('run a recorded run again the same way, or one of its races')
    .argument('[run]', "name or path of a run, or 'latest' (default)")
    .argument('[race]', 'R1, R2, …: run this race: processes the other way round, threads at once')
    .addHelpText('after', details(EXAMPLES))
    .action(endingWith(run));
}

async function run(
  name: string | undefined,
  race: string | undefined,
  options: ReplayOptions,
): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { findRun } = await import('../../trace/find-run.ts');
  const { replayProcesses, replayThreads } = await import('../replaying.ts');
  const run = findRun(name ?? 'latest');
  const replay = run.info.engine === 'threads' ? replayThreads : replayProcesses;
  return replay(run, race, options.timeout, terminal);
}

const EXAMPLES = `
Examples:
  deadheat replay                   the recorded run once more, in the same order
  deadheat replay procs-3 R1        its first race, the other way round
  deadheat replay threads-3 R1      its first race: both threads meet

Exits as the program does; 1 if it did not follow the recording, or did not end, or if the
threads did not meet.
`;
