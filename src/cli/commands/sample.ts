import { Command, Option } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addReportOptions,
  addRunOptions,
  addTargetOrPid,
  duration,
  type ReportOptions,
  type RunOptions,
} from '../common-options.ts';
import { details, usages } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { addSamplingOptions, type SamplingOptions, windowsOf } from '../sampling-options.ts';
import { Terminal } from '../terminal.ts';

export interface SampleOptions extends ReportOptions, RunOptions, SamplingOptions {
  pid?: number;
  duration?: number;
  analyze?: true;
}

export function sampleCommand(): Command {
  const command = addSamplingOptions(addRunOptions(addReportOptions(new Command('sample'))));
  return addTargetOrPid(command, 'turn sampling on or off in a program that was started with it')
    .usage(usages('sample', ['[options] -- COMMAND [ARGUMENT…]', '--pid PID start|stop|status']))
    .description(
      'sample what the threads of a program do, at production cost, for deadheat analyze',
    )
    .addOption(
      new Option(
        '--duration <time>',
        'end after this time: 90s, 5m; a program as by Ctrl-C',
      ).argParser(duration),
    )
    .option('--analyze', 'look for races at the end, and report them')
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(words: string[], options: SampleOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const windows = windowsOf(options);
  if (options.pid !== undefined) {
    const { switchSampling } = await import('../switching.ts');
    return switchSampling(options.pid, words, options, terminal);
  }
  if (words.length === 0) {
    throw new UserError(
      "missing required argument 'command'",
      'give a program, or --pid PID and start, stop or status',
    );
  }
  requireReport(options);
  const { requireReportable } = await import('../present.ts');
  requireReportable(options);
  const { sampleAndTell } = await import('../sampling.ts');
  return sampleAndTell(words, { ...options, windows }, terminal);
}

/** Without --analyze there is none that could go anywhere. */
function requireReport({ analyze, json, sarif, suppressions }: SampleOptions): void {
  if (analyze) return;
  const given = Object.entries({ json, sarif, suppressions });
  const [name] = given.find(([, value]) => value !== undefined) ?? [];
  if (name === undefined) return;
  throw new UserError(
    `--${name} is about a report`,
    "add --analyze, or give it to 'deadheat analyze'",
  );
}

const DETAILS = `
The program runs as usual, with its own input, output and files, and its exit status, or the
signal it died of, becomes ours. Now and then a thread notes down its registers and the locks
that it holds; 'deadheat analyze' finds out later, and elsewhere if need be, which memory was
touched there without a common lock. The longer a program is sampled, the rarer the races
that are found. With --analyze that is done at once, and races make the exit status 66.

A number of instructions is counted by the processor where it can; elsewhere it stands for as
many nanoseconds. --budget adapts the period to what samples cost, locks and allocations included.

With --dormant next to nothing is done, or logged, until 'deadheat sample --pid PID start',
and after '… stop' again. --duration with start stops it by itself.
`;

const EXAMPLES = `
Examples:
  deadheat sample -- ./server --port 8080
  deadheat sample --budget 1% --window 10s --every 10m -- ./server
  deadheat sample --analyze --duration 60s --json races.json -- ./load-test
  deadheat sample --dormant -- ./server
  deadheat sample --pid 4711 --duration 60s start
`;
