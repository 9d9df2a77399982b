import { Command } from 'commander';
import { assert } from '../../base/assert.ts';
import { addDisplayOptions, addTimeoutOption, type DisplayOptions } from '../common-options.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface ReplayOptions extends DisplayOptions {
  timeout?: number;
}

export function replayCommand(): Command {
  return addTimeoutOption(addDisplayOptions(new Command('replay')), '10m')
    .description('run a recorded run again the same way, or one of its races')
    .argument('[run]', "name or path of a run, or 'latest' (default)")
    .argument('[race]', 'R1, R2, …: run this race the other way round')
    .addHelpText('after', EXAMPLES)
    .action(endingWith(run));
}

async function run(
  name: string | undefined,
  race: string | undefined,
  options: ReplayOptions,
): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { findRunOf } = await import('../../trace/find-run.ts');
  const { replay } = await import('../../procs/validate/replay.ts');
  const { EarlyEnd } = await import('../early-end.ts');
  const early = new EarlyEnd();
  const how = { version, limitMs: options.timeout, stop: early.stop };
  const replayed = await replay(findRunOf('procs', name ?? 'latest'), race, how);
  early.stopListening();
  if (replayed) {
    process.stdout.write(replayed.stdout);
    process.stderr.write(replayed.stderr);
  }
  if (early.signal !== undefined) return { signal: early.signal };
  assert(replayed, 'only the user ends it early');
  if (replayed.hung) {
    terminal.warn('it did not end within its time, and was ended; --timeout gives it more');
    return { status: 1 };
  }
  // A race that is the other way round is what it is, however the program got there.
  const diverged = replayed.diverged ?? (race === undefined ? replayed.outOfTurn : undefined);
  if (diverged !== undefined) {
    terminal.warn(`it did not follow the recording: ${diverged}`);
    return { status: 1 };
  }
  if (replayed.outOfTurn !== undefined) {
    terminal.warn(`on the way there, it did not follow the recording: ${replayed.outOfTurn}`);
  }
  terminal.remark(`its output and the files that it changed are in ${replayed.folder}`);
  const { exit } = replayed;
  return 'signal' in exit ? exit : { status: exit.code };
}

const EXAMPLES = `
Examples:
  deadheat replay                   the recorded run once more, in the same order
  deadheat replay procs-3 R1        its first race, the other way round

Exits as the program does; 1 if it did not follow the recording, or did not end.
`;
