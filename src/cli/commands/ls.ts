import { Command } from 'commander';
import { addDisplayOptions, type DisplayOptions } from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';
import { writeOutput } from '../write-output.ts';

interface LsOptions extends DisplayOptions {
  json?: string;
}

export function lsCommand(): Command {
  return addDisplayOptions(new Command('ls'))
    .description('list the runs in this folder')
    .option('--json <file>', 'write the list as JSON (- for stdout, instead of text)')
    .addHelpText('after', details(EXAMPLES))
    .action(endingWith(run));
}

async function run(options: LsOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { listing } = await import('../listing.ts');
  const rows = listing();
  if (options.json) writeOutput(options.json, `${JSON.stringify(rows, null, 2)}\n`);
  if (options.json === '-') return { status: 0 };
  if (rows.length === 0) terminal.remark('no runs here yet; make one with: deadheat procs -- CMD');
  const { bold, dim } = terminal.colors;
  const nameWidth = Math.max(0, ...rows.map(({ run }) => run.length));
  const stateWidth = Math.max(0, ...rows.map(({ state }) => state.length));
  for (const { run, state, startedAt, races, command } of rows) {
    const when = startedAt.slice(0, 19).replace('T', ' ').padEnd(19);
    const count = `${races ?? '-'}`.padStart(5);
    const noun = races === 1 ? 'race ' : 'races';
    const head = `${bold(run.padEnd(nameWidth))}  ${state.padEnd(stateWidth)}  ${dim(when)}`;
    terminal.print(`${head}  ${count} ${noun}  ${command}`);
  }
  return { status: 0 };
}

const EXAMPLES = `
Examples:
  deadheat ls
  deadheat ls --json -
`;
