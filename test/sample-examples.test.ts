/**
 * Every program of examples/sample: what is sampled of it leads to its races and to nothing else; its fixed twin, and
 * those that are right as they are, stay silent.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/report/model.ts';
import { deadheat, type Ended, PROJECT, runToEnd } from './harness/deadheat.ts';
import {
  compileSampled,
  placesOf,
  type SampleExample,
  sampleExamplesIn,
  toldOf,
} from './harness/sample-examples.ts';
import { scratchFolder } from './harness/scratch.ts';
import { pairOf } from './harness/thread-scenarios.ts';

const examples = sampleExamplesIn(join(PROJECT, 'examples/sample'));
const racy = examples.filter((one) => toldOf(one).length > 0);

/** A busy machine samples less in a second: the program is given longer, until it was enough. */
const SECONDS = [2, 4, 8, 16, 32];
/** Twins run twice, and both runs are analysed together as well. */
const TWIN_RUNS = ['run-1', 'run-2'];

interface Sampled extends Ended {
  readonly report: Report;
}

function sample(cwd: string, seconds: number, run: string): Sampled {
  const options = ['--analyze', '--json', 'report.json', '-o', run];
  const ended = deadheat(['sample', ...options, '--', './program', `${seconds}`], { cwd });
  const text = readFileSync(join(cwd, 'report.json'), 'utf8');
  return { ...ended, report: JSON.parse(text) as Report };
}

function sampleUntilTold(cwd: string): Sampled {
  for (const seconds of SECONDS) {
    const sampled = sample(cwd, seconds, `run-${seconds}`);
    if (sampled.report.races.length > 0 || seconds === SECONDS.at(-1)) return sampled;
  }
  throw new Error('not reached');
}

describe.each(racy)('$name: $expected.about', (example) => {
  const { folder, expected } = example;
  const told = toldOf(example);

  it('has the truth in its header', () => {
    const text = readFileSync(join(folder, expected.racy!), 'utf8');
    const kind = expected.falseAlarms ? 'Not a race, though it is reported' : 'Race';
    const inHeader = text.matchAll(
      new RegExp(`\\* ${kind}: (\\w+), lines (\\d+) and (\\d+)\\.`, 'g'),
    );
    expect([...inHeader].map(([, variable, ...lines]) => [variable, ...lines].join(' '))).toEqual(
      told.map(({ variable, lines }) => [variable, ...lines].join(' ')),
    );
    const lines = text.split('\n');
    for (const { variable, lines: both } of told)
      for (const line of both) expect(lines[line - 1]).toMatch(new RegExp(`\\b${variable}\\b`));
  });

  it('is found by sampling', () => {
    const cwd = scratchFolder();
    compileSampled(join(folder, expected.racy!), join(cwd, 'program'), '-Werror');
    const { status, stdout, report } = sampleUntilTold(cwd);
    expect(report.races).not.toEqual([]);
    expect(status).toBe(66);
    expect(stdout).toContain(expected.output);
    const truth = told.map(({ lines }) => pairOf(lines));
    for (const race of report.races) {
      expect(truth).toContain(placesOf(race, expected.racy!));
      expect(race.verdict).toBe('predicted');
    }
  });
});

const sourceOf = ({ expected }: SampleExample): string => expected.fixed ?? expected.clean!;

it.each(examples.map((one) => ({ ...one, source: sourceOf(one) })))(
  '$name/$source: nothing is reported',
  ({ folder, source, expected }) => {
    const cwd = scratchFolder();
    compileSampled(join(folder, source), join(cwd, 'program'), '-Werror');
    for (const run of TWIN_RUNS) {
      const { status, stdout, report } = sample(cwd, 1, run);
      expect(report.races).toEqual([]);
      expect(status).toBe(0);
      expect(stdout).toContain(expected.output);
      expect(report.stats.interrupts).toBeGreaterThan(0);
    }
    expect(deadheat(['analyze', ...TWIN_RUNS], { cwd })).toMatchObject({ status: 0 });
  },
);

it('runs without deadheat, whose annotations cost it nothing', () => {
  const cwd = scratchFolder();
  const told = examples.find(({ name }) => name === 'recycled-blocks')!;
  compileSampled(join(told.folder, sourceOf(told)), join(cwd, 'program'), '-Werror');
  expect(runToEnd(join(cwd, 'program'), ['1'], { cwd }).stdout).toBe('done\n');
});
