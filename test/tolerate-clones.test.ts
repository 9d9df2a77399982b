import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolatedRun } from './harness/isolated-run.ts';
import { scratchFolder } from './harness/scratch.ts';

function compiled(name: string, ...flags: string[]): string {
  const binary = join(scratchFolder(), name.replace(/\..*/, ''));
  const source = new URL(`tolerate/${name}`, import.meta.url).pathname;
  execFileSync('cc', ['-O2', '-g', '-Wall', '-o', binary, source, ...flags]);
  return binary;
}

const ENTRIES = '20000';

describe('a section in its clone', () => {
  it('sees nothing of those who ignore the lock', () => {
    const program = compiled('stress.c');
    expect(execFileSync(program, [ENTRIES], { encoding: 'utf8' })).not.toBe('torn 0\n');
    const run = isolatedRun(program, [ENTRIES]);
    expect(run).toMatchObject({ stdout: 'torn 0\n', status: 0, prepared: 1 });
    expect(run.events.length).toBeGreaterThan(0);
  });
});
