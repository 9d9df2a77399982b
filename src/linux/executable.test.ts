import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveExecutable } from './executable.ts';

const folder = mkdtempSync(join(tmpdir(), 'deadheat-executable-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe('finding the program', () => {
  it('looks on PATH as execvp does, skipping what cannot be run', () => {
    mkdirSync(join(folder, 'first'));
    file('first/tool', 'not executable', 0o644);
    const tool = file('tool', '#!/bin/sh\n');
    expect(resolveExecutable('tool', `${folder}/first:${folder}`)).toBe(tool);
    expect(resolveExecutable('sh')).toMatch(/\/sh$/);
  });

  it.each([
    ['no-such-program', /no program named 'no-such-program' on PATH/],
    [join(folder, 'nothing'), /no such file/],
    [folder, /it is a directory/],
    [file('plain', '#!/bin/sh\n', 0o644), /not executable/],
    [file('text', 'echo hello\n'), /neither an ELF program nor a script/],
    [file('empty', ''), /neither an ELF program nor a script/],
    [
      file('elf32', Buffer.from('\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0', 'latin1')),
      /not a 64-bit x86/,
    ],
    [
      file('arm64', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0', 'latin1')),
      /not a 64-bit x86/,
    ],
  ])('refuses %s with a reason', (path, reason) => {
    expect(() => resolveExecutable(path)).toThrow(reason);
  });
});
