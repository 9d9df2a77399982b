/**
 * Every example: the racy program has the race it says, its fixed twin has none that could do harm. What
 * the fields of expected.json mean is said in examples/README.md.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, deadheatAsPlainUser, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

interface Expected {
  about: string;
  racy: { command: string[]; verdict: 'harmful'; object: string; check?: string[] };
  fixed: { command: string[]; harmless?: string[] };
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

const reportIn = (cwd: string): Report =>
  JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report;

/** What the races of a report are about, as expected.json calls it. */
const objects = (cwd: string): string[] =>
  reportIn(cwd).races.map(({ object: { name } }) =>
    isAbsolute(name) && name.startsWith(`${cwd}/`) ? name.slice(cwd.length + 1) : name,
  );

describe.each([
  ['root, with eBPF', 'bpf', deadheat],
  ['a plain user, with ptrace', 'ptrace', deadheatAsPlainUser],
])('as %s', (_, recorder, run) => {
  const procs = ['procs', '-q', '--recorder', recorder, '--json', 'report.json'];

  it.each(examples)('$name: finds that $expected.about', ({ name, expected: { racy } }) => {
    const cwd = copyOf(name);
    const { status } = run([...procs, '--', ...racy.command], { cwd });
    expect(status).toBe(66);
    expect(objects(cwd)).toContain(racy.object);
    // Nothing is validated yet. As soon as it is, one of those on the object must have racy.verdict,
    // with racy.check as its checks.
    for (const { verdict } of reportIn(cwd).races) expect(verdict).toBe('detected');
  });

  it.each(examples)('$name: the fixed twin is clean', ({ name, expected: { racy, fixed } }) => {
    const cwd = copyOf(name);
    const { harmless = [] } = fixed;
    const { status } = run([...procs, '--keep', '--', ...fixed.command], { cwd });
    // As soon as races are validated, those that are harmless must be called so, or not come.
    expect(objects(cwd).filter((object) => !harmless.includes(object))).toEqual([]);
    if (harmless.length === 0) expect(status).toBe(0);
    expect(reportIn(cwd).exit).toEqual({ code: 0 });
    for (const check of racy.check ?? []) {
      expect(runToEnd('sh', ['-c', check], { cwd })).toMatchObject({ status: 0, stderr: '' });
    }
  });
});

it('has a racy program and a fixed one in each folder', () => {
  for (const { name, expected } of examples) {
    for (const half of ['racy', 'fixed'] as const) {
      const file = expected[half].command.at(-1)!;
      expect(file).toMatch(new RegExp(`^${half}\\.(sh|mk)$`));
      expect(existsSync(join(folder, name, file))).toBe(true);
    }
  }
});
