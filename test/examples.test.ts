/**
 * Every example: the racy program has the race it says, and that does harm; its fixed twin has none that
 * does. What the fields of expected.json mean is said in examples/README.md.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, deadheatAsPlainUser, PROJECT, runToEnd } from './harness/deadheat.ts';
import { inGoodOrder } from './harness/good-order.ts';
import { scratchFolder } from './harness/scratch.ts';

interface Expected {
  about: string;
  racy: {
    command: string[];
    verdict: 'harmful';
    object: string;
    or?: string[];
    ends?: number;
    check?: string[];
  };
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

/** What races are about, as expected.json calls it. */
const objects = (cwd: string, races: Report['races']): string[] =>
  races.map(({ object: { name } }) =>
    isAbsolute(name) && name.startsWith(`${cwd}/`) ? name.slice(cwd.length + 1) : name,
  );

const PROCS = ['procs', '-q', '--json', 'report.json'];
const checks = ({ check = [] }: Expected['racy']): string[] =>
  check.flatMap((command) => ['--check', command]);

/**
 * Whether the program did as it should while it was recorded. On a busy machine, one job of a shell may have ended,
 * and been waited for, before the other is even started: then there is no race in this run.
 */
const isGood = ({ exit, warnings = [], races }: Report): boolean =>
  races.length > 0 &&
  exit !== undefined &&
  'code' in exit &&
  exit.code === 0 &&
  !warnings.some((text) => / fails for the recorded run/.test(text));

describe('as root', () => {
  it.each(examples)('$name: proves that $expected.about', ({ name, expected: { racy } }) => {
    const { cwd, status } = inGoodOrder(() => {
      const folder = copyOf(name);
      const args = [...PROCS, ...checks(racy), '--', ...racy.command];
      const ended = deadheat(args, { cwd: folder });
      return { cwd: folder, status: ended.status, isGood: isGood(reportIn(folder)) };
    });
    const proven = reportIn(cwd).races.filter(({ verdict }) => verdict === racy.verdict);
    const names = [racy.object, ...(racy.or ?? [])];
    expect(objects(cwd, proven).filter((name) => names.includes(name))).not.toEqual([]);
    expect(proven.length).toBeLessThanOrEqual(racy.ends ?? 2);
    expect(status).toBe(66);
  });

  it.each(examples)('$name: the fixed twin does no harm', ({ name, expected: { racy, fixed } }) => {
    const cwd = copyOf(name);
    const { status } = deadheat([...PROCS, ...checks(racy), '--', ...fixed.command], { cwd });
    const { races, exit } = reportIn(cwd);
    const harmful = races.filter(({ verdict }) => verdict === 'harmful');
    expect(objects(cwd, harmful)).toEqual([]);
    expect(objects(cwd, races).filter((object) => !fixed.harmless?.includes(object))).toEqual([]);
    expect(exit).toEqual({ code: 0 });
    expect(status).toBe(0);
  });
});

describe('as a plain user', () => {
  const find = [...PROCS, '--no-validate'];

  it.each(examples)('$name: finds that $expected.about', ({ name, expected: { racy } }) => {
    const { cwd, races, status } = inGoodOrder(() => {
      const folder = copyOf(name);
      const ended = deadheatAsPlainUser([...find, '--', ...racy.command], { cwd: folder });
      const { races } = reportIn(folder);
      return { cwd: folder, races, status: ended.status, isGood: races.length > 0 };
    });
    expect(objects(cwd, races)).toContain(racy.object);
    expect(status).toBe(66);
  });

  it.each(examples)('$name: the fixed twin is clean', ({ name, expected: { racy, fixed } }) => {
    const cwd = copyOf(name);
    deadheatAsPlainUser([...find, '--keep', '--', ...fixed.command], { cwd });
    const { races, exit } = reportIn(cwd);
    expect(objects(cwd, races).filter((object) => !fixed.harmless?.includes(object))).toEqual([]);
    expect(exit).toEqual({ code: 0 });
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
