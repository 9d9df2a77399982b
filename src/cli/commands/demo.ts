import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { assert } from '../../base/assert.ts';
import { builtFile } from '../../base/built-file.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { addDisplayOptions, type DisplayOptions } from '../common-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

interface Demo {
  /** Folder under examples/. */
  example: string;
  story: string;
  racy: { command: string[]; story: string };
  fixed: { command: string[]; story: string };
}

const DEMOS: Readonly<Record<string, Demo>> = {
  procs: {
    example: 'procs/lost-update',
    story: 'Two shell processes each read a counter, add 1 and write it back; nobody takes a lock.',
    racy: { command: ['sh', 'racy.sh'], story: 'The program with the race:' },
    fixed: { command: ['sh', 'fixed.sh'], story: 'The same program, mended:' },
  },
};

const EXAMPLES_FOLDER = fileURLToPath(builtFile('../examples/'));
const MAIN = fileURLToPath(builtFile('cli/main.js'));

export function demoCommand(): Command {
  return addDisplayOptions(new Command('demo'))
    .description('find a race in a small example')
    .addArgument(
      new Argument('[engine]', 'which engine to show').choices(Object.keys(DEMOS)).default('procs'),
    )
    .addHelpText('after', details(EXAMPLES))
    .action(endingWith(run));
}

/** Runs the real command on a copy of the example, in a folder that is removed afterwards. */
function run(engine: string, options: DisplayOptions): Outcome {
  const demo = DEMOS[engine];
  assert(demo, `no demo for ${engine}`);
  const terminal = new Terminal(options);
  const { bold, dim, green } = terminal.colors;
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-demo-'));
  const show = ({ command, story }: Demo['racy'], expected: number): boolean => {
    terminal.print(`\n${bold(story)}\n${dim(`$ deadheat ${engine} -- ${command.join(' ')}`)}\n`);
    const color = terminal.colored ? 'always' : 'never';
    const args = [MAIN, engine, '--quiet', '--color', color, '--', ...command];
    const { status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' });
    // What the machine lacks has been said by the command itself.
    if (status === ExitStatus.unavailable) return false;
    assert(status === expected, `the demo expected exit status ${expected}, got ${status}`);
    return true;
  };
  try {
    cpSync(join(EXAMPLES_FOLDER, demo.example), folder, { recursive: true });
    terminal.print(demo.story);
    const shown = show(demo.racy, ExitStatus.races) && show(demo.fixed, ExitStatus.clean);
    if (!shown) return { status: ExitStatus.unavailable };
    terminal.print(green('\nThe race was found, and the mended program is clean.'));
    terminal.print(`Try your own: deadheat ${engine} -- COMMAND`);
    return { status: ExitStatus.clean };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const EXAMPLES = `
Examples:
  deadheat demo
  deadheat demo procs
`;
