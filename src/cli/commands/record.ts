import { Command } from 'commander';
import {
  addDisplayOptions,
  addRecordOptions,
  addTarget,
  type DisplayOptions,
  type RecordOptions,
  SANDBOX_DETAILS,
} from '../common-options.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export function recordCommand(): Command {
  return addTarget(addRecordOptions(addDisplayOptions(new Command('record'))))
    .description("record a program's processes and their system calls")
    .addHelpText('after', DETAILS + SANDBOX_DETAILS + EXAMPLES)
    .action(endingWith(run));
}

async function run(command: string[], options: DisplayOptions & RecordOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { record } = await import('../recording.ts');
  const { outcome } = await record(command, options, terminal);
  return outcome;
}

const DETAILS = `
The program runs as usual, with its own input and output. Its exit status, or the signal
it died of, becomes ours; if the recording fails, ours is 69 or 70.
`;

const EXAMPLES = `
Examples:
  deadheat record -- make -j4
  deadheat record -o /tmp/run -- ./test.sh --fast
  deadheat detect latest
`;
