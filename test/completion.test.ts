/** Shell completion, in the shells themselves: keys are typed, and the line is looked at. */
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { deadheat } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';
import { onTerminal } from './harness/terminal.ts';

const SHELLS = {
  bash: {
    command: ['bash', '--norc', '--noprofile', '-i'],
    setUp:
      'PS1="READY> "; . /usr/share/bash-completion/bash_completion; source <(deadheat completion bash)',
  },
  zsh: {
    command: ['zsh', '-f', '-i'],
    setUp: 'PS1="READY> "; autoload -U compinit; compinit -u -D; source <(deadheat completion zsh)',
  },
  fish: {
    command: ['fish', '--no-config', '-i'],
    setUp: 'deadheat completion fish | source; function fish_prompt; echo "READY> "; end',
  },
} as const;

describe.each(Object.entries(SHELLS))('%s', (_, { command, setUp }) => {
  it.each([
    ['a command', 'deadheat doc\t', /deadheat doctor/],
    ['an option', 'deadheat detect --salv\t', /deadheat detect --salvage/],
    ['a run', 'deadheat detect procs-4\t', /deadheat detect procs-4711/],
  ])('completes %s', async (_, keys, expected) => {
    const cwd = scratchFolder();
    deadheat(['record', '-q', '-o', '.deadheat/procs-4711', '--', 'true'], { cwd });
    let step = 0;
    let again: NodeJS.Timeout | undefined;
    await onTerminal([...command], cwd, (soFar, write) => {
      // A shell may throw away what was typed before it was ready: then it has to be typed again, on an
      // empty line.
      const insist = (line: string): void => {
        clearInterval(again);
        setTimeout(() => write(line), 300);
        again = setInterval(() => write(`\x15${line}`), 10_000);
      };
      // The prompt is the last thing on the screen; while typed, READY is followed by a quote.
      const isReady = /READY> [^"]*$/.test(stripVTControlCharacters(soFar));
      if (step === 0) {
        step = 1;
        insist(`${setUp}\n`);
      } else if (step === 1 && isReady) {
        step = 2;
        insist(keys);
      } else if (step === 2 && expected.test(folded(soFar))) {
        step = 3;
        clearInterval(again);
        write('\x15exit\n');
      }
    });
    clearInterval(again);
    expect(step).toBe(3);
  });
});

const folded = (text: string): string => stripVTControlCharacters(text).replace(/\s+/g, ' ');

it('names the shells it knows when asked for another', () => {
  const { status, stderr } = deadheat(['completion', 'tcsh'], { cwd: scratchFolder() });
  expect(stderr).toMatch(/zsh, bash, fish, powershell/);
  expect(status).toBe(2);
});
