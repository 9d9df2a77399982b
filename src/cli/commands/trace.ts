import { Command, Option } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addDisplayOptions,
  addRunOptions,
  addTimeoutOption,
  collected,
  type DisplayOptions,
  type RunOptions,
  wholeNumber,
} from '../common-options.ts';
import { eventsInRun } from '../counted.ts';
import { details, usages } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import type { ShownAs } from '../thread-traces.ts';
import { version } from '../version.ts';

/** What to do with a run that is there already. */
interface ShowOptions extends DisplayOptions, ShownAs {}

interface TraceOptions extends ShowOptions, RunOptions {
  import?: string;
  also: string[];
  timeout?: number;
}

export function traceCommand(): Command {
  const command = addTimeoutOption(addRunOptions(new Command('trace')), 'no limit');
  return addShowOptions(addDisplayOptions(command))
    .description('trace what the threads of a program do, and show, import or export traces')
    .usage(
      usages('trace', [
        '[options] -- COMMAND [ARGUMENT…]',
        '[options] --import FILE',
        '[options] RUN --print | --stats | --export FILE',
      ]),
    )
    .argument('[run...]', 'the program to run, with its arguments; or the name or path of a run')
    .addOption(
      new Option(
        '--also <file>',
        'trace this library, too, or this program that the first one starts',
      )
        .argParser(collected)
        .default([], 'none'),
    )
    .option('--import <file>', "make a run of a trace in RAPID's STD format")
    .passThroughOptions()
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

function addShowOptions(command: Command): Command {
  return command
    .option('--print', 'show the events of a run')
    .option('--threads <names>', 'with --print: only those of these threads, as in main,worker')
    .addOption(new Option('--from <n>', 'with --print: the first event').argParser(wholeNumber))
    .addOption(new Option('--to <n>', 'with --print: the last event').argParser(wholeNumber))
    .option('--stats', 'show what a run has: threads, locks, variables, events')
    .option('--export <file>', "write a run in RAPID's STD format (- for stdout)")
    .option('--salvage', 'make do with the readable part of a damaged trace');
}

async function run(words: string[], options: TraceOptions, command: Command): Promise<Outcome> {
  const terminal = new Terminal(options);
  if (options.import !== undefined) return importFile(options.import, words, options, terminal);
  const shows = options.print || options.stats || options.export !== undefined;
  if (shows || (await isRun(words))) {
    const [name = 'latest', ...rest] = words;
    return show(name, { ...options, ...optionsAfterRun(rest, command) });
  }
  if (words.length === 0) {
    throw new UserError(
      "missing required argument 'command'",
      'give a program, or --import FILE, or a run and what to do with it',
    );
  }
  const { trace } = await import('../tracing.ts');
  return trace(words, options, terminal);
}

/** Whether the first word is a run rather than a program; after `--` there is always a program. */
async function isRun(words: readonly string[]): Promise<boolean> {
  const [word] = words;
  if (word === undefined) return false;
  const { ownArguments } = await import('../../linux/own-process.ts');
  if (ownArguments().at(-words.length - 1) === '--') return false;
  const { looksLikeRun } = await import('../../trace/find-run.ts');
  return looksLikeRun(word);
}

/** Of `threads-1 --print --from 7`: a program's words would be its own, a run's are ours. */
function optionsAfterRun(words: readonly string[], command: Command): Partial<ShowOptions> {
  const rest = addShowOptions(addDisplayOptions(new Command('trace'))).allowExcessArguments(false);
  rest.copyInheritedSettings(command).parse(words, { from: 'user' });
  const given = Object.entries(rest.opts()).filter(
    ([name]) => rest.getOptionValueSource(name) === 'cli',
  );
  return Object.fromEntries(given);
}

async function importFile(
  file: string,
  words: readonly string[],
  { output, print, stats, export: exported }: TraceOptions,
  terminal: Terminal,
): Promise<Outcome> {
  if (words.length > 0 || print || stats || exported !== undefined) {
    throw new UserError(
      '--import makes a run, and does nothing else',
      'look at the run with another command',
    );
  }
  const { importRun } = await import('../../threads/import-run.ts');
  const { run, threads, events } = importRun(file, { version, output });
  terminal.remark(eventsInRun(events, threads, run.name));
  return { status: 0 };
}

async function show(name: string, options: ShowOptions): Promise<Outcome> {
  const { print, stats, export: exported } = options;
  const wanted = [print, stats, exported].filter((way) => way !== undefined);
  if (wanted.length !== 1) {
    throw new UserError(
      wanted.length === 0
        ? `what is to be done with ${name}?`
        : '--print, --stats and --export exclude each other',
      'give --print, --stats or --export FILE',
    );
  }
  const { showRun } = await import('../thread-traces.ts');
  return showRun(name, options, new Terminal(options));
}

const DETAILS = `
The functions of the program are traced, not those of its libraries or of the programs that
it starts: --also names more of them, by path or name. The program runs as usual, with its
own input, output and files, and its exit status, or the signal it died of, becomes ours.
Ctrl-C is for the program; what it did until its end is kept. If deadheat itself is killed,
the program goes on. Static and set-user-ID programs cannot be traced.

A trace in STD format has a line for each event, THREAD|OPERATION(OPERAND)|NUMBER, in their
order; the operations are r, w, acq, rel, fork, join, begin and end, and the number stands
for the place in the program. --export writes FILE.locs beside it, which says what these
numbers stand for, if that is known.
`;

const EXAMPLES = `
Examples:
  deadheat trace -- ./server --port 8080
  deadheat trace --also libqueue.so --timeout 60s -- ./test
  deadheat trace --import account.std
  deadheat trace latest --stats
  deadheat trace threads-3 --print --threads main,worker --from 1000 --to 2000
  deadheat trace threads-3 --export trace.std
`;
