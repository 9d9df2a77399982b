import { Command } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addDisplayOptions,
  addRecordOptions,
  addTargetOrPid,
  type DisplayOptions,
  type RecordOptions,
  SANDBOX_DETAILS,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export function recordCommand(): Command {
  return addTargetOrPid(addRecordOptions(addDisplayOptions(new Command('record'))))
    .description("record a program's processes and their system calls")
    .addHelpText('after', details(DETAILS + SANDBOX_DETAILS + EXAMPLES))
    .action(endingWith(run));
}

type Options = DisplayOptions & RecordOptions & { pid?: number };

async function run(command: string[], options: Options): Promise<Outcome> {
  const terminal = new Terminal(options);
  if (command.length === 0 && options.pid === undefined) {
    throw new UserError("missing required argument 'command'", 'give a program, or --pid PID');
  }
  if (command.length > 0 && options.pid !== undefined) {
    throw new UserError('a program and --pid exclude each other', 'give one of them');
  }
  const { record, recordProcess } = await import('../recording.ts');
  if (options.pid !== undefined) return recordProcess(options.pid, options, terminal);
  const { outcome } = await record(command, options, terminal);
  return outcome;
}

const DETAILS = `
The program runs as usual, with its own input and output. Its exit status, or the signal
it died of, becomes ours; if the recording fails, ours is 69 or 70.

With --pid, a process that runs already is recorded with all its threads, its descendants
and whatever they start, until it ends, for --duration, or until Ctrl-C, which ends the
recording and not the process. It needs eBPF and changes nothing about the process; files
that it has open already have no names in the report.
`;

const EXAMPLES = `
Examples:
  deadheat record -- make -j4
  deadheat record -o /tmp/run -- ./test.sh --fast
  deadheat record --pid 4711 --duration 60
  deadheat detect latest
`;
