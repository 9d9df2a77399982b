import { spawnSync } from 'node:child_process';
import { closeSync, readSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPseudoTerminal, type PseudoTerminal } from './pseudo-terminal.ts';

function opened(): PseudoTerminal {
  const ends = openPseudoTerminal();
  onTestFinished(() => {
    for (const fd of [ends.controlling, ends.terminal]) closeSync(fd);
  });
  return ends;
}

describe('a pseudo-terminal', () => {
  it('is a terminal, and what is written to it can be read at the other end', () => {
    const { controlling, terminal } = opened();
    expect(isatty(terminal)).toBe(true);
    writeSync(terminal, 'hello\n');
    const buffer = Buffer.alloc(20);
    expect(buffer.toString('utf8', 0, readSync(controlling, buffer))).toBe('hello\r\n');
  });

  it('is one to programs, and not the one that controls them', () => {
    const { controlling, terminal } = opened();
    const script = 'test -t 1 && echo yes; test "$(ps -o tty= -p $$)" != "$(tty <&1)"';
    const { status } = spawnSync('sh', ['-c', script], { stdio: ['ignore', terminal, 'ignore'] });
    expect(status).toBe(0);
    const buffer = Buffer.alloc(20);
    expect(buffer.toString('utf8', 0, readSync(controlling, buffer))).toBe('yes\r\n');
  });

  it('is another one each time', () => {
    const [one, other] = [opened(), opened()];
    writeSync(one.terminal, 'one\n');
    writeSync(other.terminal, 'other\n');
    const buffer = Buffer.alloc(20);
    expect(buffer.toString('utf8', 0, readSync(other.controlling, buffer))).toBe('other\r\n');
  });
});
