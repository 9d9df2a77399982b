/** The manual page has all that `--help` has, and troff has nothing to complain of. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { manPage } from './man-page.ts';
import { createProgram } from './program.ts';

const page = manPage(createProgram(), '1.2.3');

const troff = (...args: string[]) =>
  spawnSync('groff', ['-man', '-Kutf8', '-Tutf8', '-P-cbou', ...args], {
    input: page,
    encoding: 'utf8',
  });

describe('the manual page', () => {
  it('is read by troff without a warning', () => {
    expect(troff('-ww', '-z')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('has the sections that people look for, in the usual order', () => {
    const sections = [...page.matchAll(/^\.SH (.*)$/gm)].map(([, name]) => name);
    expect(sections).toEqual([
      ...['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'COMMANDS', 'EXAMPLES', 'EXIT STATUS'],
      ...['FILES', 'ENVIRONMENT', 'SEE ALSO'],
    ]);
  });

  it('is not wider than a terminal', () => {
    const lines = troff('-rLL=80n').stdout.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('has every command, option and example', () => {
    // Lines are broken, and words divided, as the terminal is wide.
    const shown = troff('-rLL=1000n').stdout;
    const program = createProgram();
    const help = program.createHelp();
    for (const command of help.visibleCommands(program)) {
      if (command.name() === 'help') continue;
      const [usage, ...others] = command.usage().split(/\n\s*/);
      for (const line of [`deadheat ${command.name()} ${usage}`, ...others]) {
        expect(shown).toContain(line);
      }
      for (const { flags } of help.visibleOptions(command)) expect(shown).toContain(flags);
    }
    expect(shown).toContain('deadheat report latest --sarif races.sarif');
    expect(shown).toContain('deadheat 1.2.3');
  });
});
