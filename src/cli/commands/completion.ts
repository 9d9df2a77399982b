/**
 * `deadheat completion SHELL` prints a script to source; the script then calls the hidden
 * `deadheat complete -- WORDS` at each press of the tab key.
 */
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { runNames } from '../../trace/run-names.ts';
import { details } from '../help-details.ts';

/** Commands whose first argument is the name of a run. */
const TAKE_A_RUN = ['analyze', 'detect', 'predict', 'report', 'trace'];

export function completionCommands(program: Command): void {
  const completion = tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print a shell completion script')
    .addHelpText('after', details(EXAMPLES));
  for (const name of TAKE_A_RUN) {
    const argument = completion.commands.get(name)?.arguments.get('run');
    if (argument) {
      argument.handler = (complete) => {
        for (const run of runNames()) complete(run, '');
      };
    }
  }
}

const EXAMPLES = `
Examples:
  source <(deadheat completion bash)          in ~/.bashrc
  source <(deadheat completion zsh)           in ~/.zshrc
  deadheat completion fish | source           in ~/.config/fish/config.fish

The script for bash needs the package bash-completion.
`;
