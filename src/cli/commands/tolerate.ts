import { Command } from 'commander';
import { UserError } from '../../base/user-error.ts';
import { addDisplayOptions, type DisplayOptions } from '../common-options.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

interface TolerateOptions extends DisplayOptions {
  explain?: true;
  json?: string;
}

export function tolerateCommand(): Command {
  return addDisplayOptions(new Command('tolerate'))
    .description('keep critical sections safe from threads that ignore the lock')
    .usage('--explain -- COMMAND')
    .argument('<command...>', 'the program')
    .option('--explain', 'tell which critical sections it has, and which can be isolated')
    .option('--json <file>', 'write that as JSON (- for stdout, instead of text)')
    .passThroughOptions()
    .addHelpText('after', DETAILS + EXAMPLES)
    .action(endingWith(run));
}

async function run(words: string[], options: TolerateOptions): Promise<Outcome> {
  if (!options.explain) {
    throw new UserError('what is to be done with the program?', 'give --explain');
  }
  const { explain } = await import('../explaining.ts');
  return explain(words[0]!, options.json, new Terminal(options));
}

const DETAILS = `
--explain does not run the program. It follows each critical section from where its lock is
taken to where it is let go of, on all ways, and says what is found there.
`;

const EXAMPLES = `
Examples:
  deadheat tolerate --explain -- ./server
  deadheat tolerate --explain --json sections.json -- ./server
`;
