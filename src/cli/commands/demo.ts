import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { assert } from '../../base/assert.ts';
import { builtFile } from '../../base/built-file.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import { addDisplayOptions, type DisplayOptions } from '../common-options.ts';
import { DEMOS, type Demo } from '../demos.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

const MAIN = fileURLToPath(builtFile('cli/main.js'));

export function demoCommand(): Command {
  return addDisplayOptions(new Command('demo'))
    .description('find a race in a small example')
    .addArgument(
      new Argument('[engine]', 'which engine to show').choices(Object.keys(DEMOS)).default('procs'),
    )
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

/** Runs the real command on a copy of the example. */
async function run(engine: string, options: DisplayOptions): Promise<Outcome> {
  const demo = DEMOS[engine];
  assert(demo, `no demo for ${engine}`);
  const terminal = new Terminal(options);
  const { bold, dim, green } = terminal.colors;
  const { compileDemo, inCopyOf } = await import('../demo-folder.ts');
  return inCopyOf(demo.example, (folder) => {
    terminal.print(demo.story);
    for (const source of demo.sources) terminal.print(dim(`$ ${compileDemo(folder, source)}`));
    /** Whether races were found; undefined if the machine lacks something, which the command has said itself. */
    const show = ({ command, story }: Demo['racy']): boolean | undefined => {
      const line = ['deadheat', engine, ...demo.options, '--', ...command].join(' ');
      terminal.print(`\n${bold(story)}\n${dim(`$ ${line}`)}\n`);
      const color = terminal.colored ? 'always' : 'never';
      const own = ['--quiet', '--color', color, '--json', REPORT];
      const args = [MAIN, engine, ...own, ...demo.options, '--', ...command];
      const { status, signal } = spawnSync(process.execPath, args, {
        cwd: folder,
        stdio: 'inherit',
      });
      if (status === ExitStatus.unavailable) return undefined;
      const isOver = status === ExitStatus.races || status === ExitStatus.clean;
      assert(isOver, `the demo of ${engine} ended with ${status ?? signal}`);
      return demo.isStatusPassed ? racesIn(join(folder, REPORT)) > 0 : status === ExitStatus.races;
    };
    let isFound = show(demo.racy);
    for (let time = 1; time < demo.tries && isFound === false; time++) {
      terminal.print('\nNobody came at the wrong moment this time; once more.');
      isFound = show(demo.racy);
    }
    if (isFound === false) throw notFound(engine);
    const isFixedRacy = isFound ? show(demo.fixed) : undefined;
    if (isFixedRacy === undefined) return { status: ExitStatus.unavailable };
    assert(!isFixedRacy, `the demo expected no race in the mended program of ${engine}`);
    terminal.print(green('\nThe race was found, and the mended program is clean.'));
    const own = ['deadheat', engine, ...demo.options, '-- COMMAND'].join(' ');
    terminal.print(`Try your own: ${own}`);
    return { status: ExitStatus.clean };
  });
}

const REPORT = 'report.json';

const racesIn = (path: string): number =>
  (JSON.parse(readFileSync(path, 'utf8')) as { races: unknown[] }).races.length;

const notFound = (engine: string): UserError =>
  new UserError(
    `the race did not come up in ${DEMOS[engine]!.tries} runs`,
    'try again when the machine is less busy',
    ExitStatus.unavailable,
  );

const DETAILS = `
Runs an engine on a small program with a race, and on the same program mended. The examples of all engines but procs
are compiled first, which takes a C compiler.
`;

const EXAMPLES = `
Examples:
  deadheat demo
  deadheat demo threads
  deadheat demo watch
`;
