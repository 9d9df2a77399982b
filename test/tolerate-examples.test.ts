import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { parseReport } from '../src/report/parse.ts';
import { deadheat, PROJECT, runToEnd } from './harness/deadheat.ts';
import { scratchFolder } from './harness/scratch.ts';

const EXAMPLES = join(PROJECT, 'examples/tolerate');

interface Expected {
  readonly about: string;
  readonly racy: string;
  readonly fixed: string;
  readonly variables: readonly string[];
  readonly races: readonly string[];
  readonly sections: number;
}

const examples = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const expectedOf = (name: string): Expected =>
  JSON.parse(readFileSync(join(EXAMPLES, name, 'expected.json'), 'utf8'));

function built(name: string, source: string, cwd: string): string {
  const compiler = source.endsWith('.cc') ? 'g++' : 'gcc';
  const path = join(EXAMPLES, name, source);
  const output = join(cwd, source.replace(/\.\w+$/, ''));
  execFileSync(compiler, ['-O2', '-g', path, '-pthread', '-o', output], { stdio: 'pipe' });
  return output;
}

function tornIn(stdout: string, entries: number): number {
  const [, torn, of] = /^torn (\d+) of (\d+)$/m.exec(stdout) ?? [];
  expect(of).toBe(`${entries}`);
  return Number(torn);
}

const natively = (program: string, entries: number, cwd: string): number => {
  const { status, stdout } = runToEnd(program, [`${entries}`], { cwd });
  expect(status).toBe(0);
  return tornIn(stdout, entries);
};

function reportOf(path: string): Report {
  const report = parseReport(readFileSync(path, 'utf8'), path);
  if (!report.ok) throw report.error;
  return report.value;
}

const FEW = 20_000;
/** Others may have all processors for a while. */
const MOST = 20_000_000;

describe.each(examples)('%s', (name) => {
  const { racy, fixed, variables, races, sections, about } = expectedOf(name);

  it('is in the list', () => {
    const list = readFileSync(join(PROJECT, 'examples/README.md'), 'utf8');
    expect(list).toContain(`[${name}](tolerate/${name})`);
    expect(list).toContain(about);
  });

  it('is torn by those who ignore the lock, and not when it is isolated', () => {
    const cwd = scratchFolder();
    const program = built(name, racy, cwd);
    let entries = FEW;
    while (natively(program, entries, cwd) === 0 && entries < MOST) entries *= 4;
    expect(entries).toBeLessThan(MOST);
    const args = ['tolerate', '-q', '-o', 'run', '--', program, `${entries}`];
    const { status, stdout } = deadheat(args, { cwd });
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^torn 0 of ${entries}$`, 'm'));
    const report = reportOf(join(cwd, 'run', 'report.json'));
    expect(report.stats).toMatchObject({ sections, isolated: sections });
    for (const { object, evidence } of report.races) {
      expect(variables).toContain(/^\w+/.exec(object.name)?.[0]);
      expect(races).toContain(/^class (\w+)/.exec(evidence ?? '')?.[1]);
    }
  });

  it('is not torn where all take the lock', () => {
    const cwd = scratchFolder();
    const program = built(name, fixed, cwd);
    expect(natively(program, FEW, cwd)).toBe(0);
    const { status, stdout, stderr } = deadheat(
      ['tolerate', '-q', '-o', 'run', '--', program, `${FEW}`],
      { cwd },
    );
    expect([status, stdout, stderr]).toEqual([0, `torn 0 of ${FEW}\n`, '']);
  });
});

it('names the block of the heap that a variable is in', () => {
  const cwd = scratchFolder();
  const program = built('dynamic-array', 'racy.c', cwd);
  let names: string[] = [];
  // It has to be there for a while after the first event.
  for (let entries = FEW; entries < MOST && names.length === 0; entries *= 4) {
    deadheat(['tolerate', '-q', '-o', `run-${entries}`, '--', program, `${entries}`], { cwd });
    const { races } = reportOf(join(cwd, `run-${entries}`, 'report.json'));
    expect(races.map(({ object }) => object.type)).toEqual(races.map(() => 'heap'));
    names = races.map(({ object }) => object.name).filter((name) => name !== 'heap');
  }
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) expect(name).toMatch(/^heap block of 24 bytes, at \+(0|4|8|12|16)$/);
});
