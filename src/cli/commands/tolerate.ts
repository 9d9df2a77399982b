import { Command, Option } from 'commander';
import {
  addReportOptions,
  addRunOptions,
  addTarget,
  addTimeoutOption,
  type ReportOptions,
  type RunOptions,
} from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export interface TolerateOptions extends ReportOptions, RunOptions {
  explain?: true;
  detect?: true;
  intolerable: 'report' | 'halt';
  blindWrites?: true;
  timeout?: number;
}

export function tolerateCommand(): Command {
  const command = addRunOptions(addReportOptions(new Command('tolerate')));
  return addTimeoutOption(addTarget(command), 'none')
    .description('keep critical sections safe from threads that ignore the lock')
    .option('--explain', 'run nothing; tell which critical sections it has, and which are isolated')
    .addOption(
      new Option(
        '--detect',
        'only report races; memory becomes what it would have become',
      ).conflicts('intolerable'),
    )
    .addOption(
      new Option('--intolerable <what>', 'at a race that no order explains: go on, or end it')
        .choices(['report', 'halt'])
        .default('report'),
    )
    .option('--blind-writes', 'threads that ignore a lock never read a variable before they set it')
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(command: string[], options: TolerateOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  if (options.explain) {
    const { explain } = await import('../explaining.ts');
    return explain(command[0]!, options.json, terminal);
  }
  const { requireReportable } = await import('../present.ts');
  requireReportable(options);
  const { tolerateAndTell } = await import('../tolerating.ts');
  return tolerateAndTell(command, options, terminal);
}

const DETAILS = `
Runs the program with critical sections that work on copies of their own: from taking a
lock to letting go of it, a thread neither sees what others write without the lock, nor do
they see what it has half done. When it lets go, each word is compared with what it was; one
that others have changed is set so that it looks as if they had come before or after. The
rest of the program runs as it is. Sections that cannot be isolated run as they are, too.

Exits as the program does. A report is printed if there was a race. When a variable is changed
a second time, debug registers watch it until it is known who does so, with the stack.

--explain does not run the program. It follows each critical section from where its lock is
taken to where it is let go of, on all ways, and says what is found there.
`;

const EXAMPLES = `
Examples:
  deadheat tolerate -- ./server --port 8080
  deadheat tolerate --detect --json races.json -- ./test
  deadheat tolerate --intolerable halt -- ./payments
  deadheat tolerate --explain --json sections.json -- ./server
`;
