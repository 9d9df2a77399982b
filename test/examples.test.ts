/** Every example: the racy program has the race it says, its fixed twin is clean. */
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deadheat, deadheatAsPlainUser, PROJECT } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

interface Expected {
  about: string;
  racy: { command: string[]; verdict: string; object: string };
  fixed: { command: string[] };
}

const folder = join(PROJECT, 'examples/procs');
const examples = readdirSync(folder).map((name) => {
  const file = join(folder, name, 'expected.json');
  return { name, expected: JSON.parse(readFileSync(file, 'utf8')) as Expected };
});

function copyOf(name: string): string {
  const cwd = scratchFolder();
  cpSync(join(folder, name), cwd, { recursive: true });
  return cwd;
}

describe.each([
  ['root, with eBPF', 'bpf', deadheat],
  ['root, with ptrace', 'ptrace', deadheat],
  ['a plain user', 'auto', deadheatAsPlainUser],
])('as %s', (_, recorder, run) => {
  const procs = ['procs', '-q', '--recorder', recorder];

  it.each(examples)('$name: finds $expected.about', ({ name, expected: { racy } }) => {
    const cwd = copyOf(name);
    const { status } = run([...procs, '--json', 'report.json', '--', ...racy.command], {
      cwd,
    });
    expect(status).toBe(66);
    const report = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'));
    const races = report.races as { verdict: string; object: { name: string } }[];
    expect(races.map(({ object }) => object.name)).toContain(join(cwd, racy.object));
    for (const { verdict } of races) expect(verdict).toBe(racy.verdict);
  });

  it.each(examples)('$name: the fixed twin is clean', ({ name, expected: { fixed } }) => {
    const { status, stdout } = run([...procs, '--', ...fixed.command], { cwd: copyOf(name) });
    expect(stdout).toMatch(/deadheat: reported 0 races\n$/);
    expect(status).toBe(0);
  });
});
