/**
 * Every scenario of examples/threads: it is what its header says, it ends well natively, and from one run all
 * of its races are predicted, and nothing else but what expected.json owns up to.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadThreadTrace } from '../src/threads/storage/reader.ts';
import { deadheat, PROJECT, runToEnd } from './harness/deadheat.ts';
import { inGoodOrder } from './harness/good-order.ts';
import { scratchFolder } from './harness/scratch.ts';
import {
  compileScenario,
  isRecordedInOrder,
  type Lines,
  pairOf,
  predictedPairs,
  scenariosIn,
} from './harness/thread-scenarios.ts';

const scenarios = scenariosIn(join(PROJECT, 'examples/threads'));
const MOST_LINES = 60;

/** All programs, compiled once, and clones of them. */
let built = '';
let env: Record<string, string> = {};
beforeAll(() => {
  built = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  env = { XDG_CACHE_HOME: join(built, 'cache') };
  for (const scenario of scenarios)
    compileScenario(scenario, join(built, scenario.name), '-Werror');
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

const numbersIn = (text: string): string => (text.match(/\d+/g) ?? []).join(' ');

/** As the header has it: `y 14 26`, and `y 14` if the line races with itself. */
const inHeader = (variable: string, [one, other]: Lines): string =>
  `${variable} ${one === other ? one : pairOf([one, other])}`;

describe.each(scenarios)('$name: $expected.about', ({ name, source, expected }) => {
  const { races, infeasible = [], output, order = [] } = expected;

  it('has the truth in its header', () => {
    const lines = readFileSync(source, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
    const header = lines.slice(0, lines.indexOf(' */')).join(' ');
    const told = (start: string): string[] =>
      [...header.matchAll(new RegExp(`\\* ${start}: (\\w+), ([^.:]+)`, 'g'))].map(
        ([, variable, where]) => `${variable} ${numbersIn(where!)}`,
      );
    expect(told('Race')).toEqual(races.map((one) => inHeader(one.variable, one.lines)));
    expect(told('No race, though it may be predicted')).toEqual(
      infeasible.map((one) => inHeader(one.variable, one.lines)),
    );
    expect(header.includes('* No race')).toBe(races.length === 0);
    expect(source).toMatch(races.length > 0 ? /\/racy\.cc?$/ : /\/clean\.cc?$/);
    for (const { variable, lines: both } of [...races, ...infeasible]) {
      for (const line of both) expect(lines[line - 1]).toMatch(new RegExp(`\\b${variable}\\b`));
    }
  });

  it('ends well', () => {
    const { status, stderr } = inGoodOrder(() => {
      const ended = runToEnd(join(built, name), [], { cwd: built });
      return { ...ended, isGood: ended.stdout === output };
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('predicts its races from one run', () => {
    const { trace } = inGoodOrder(() => {
      const cwd = scratchFolder();
      const args = ['trace', '-q', '-o', 'run', '--', join(built, name)];
      const { status, stdout } = deadheat(args, { cwd, env });
      expect(status).toBe(0);
      const trace = loadThreadTrace(join(cwd, 'run', 'trace.bin'));
      return { trace, isGood: stdout === output && isRecordedInOrder(trace, order) };
    });
    const all = [...races, ...infeasible];
    const predicted = predictedPairs(trace, expected.program, false);
    expect([...predicted.keys()].sort()).toEqual(all.map(({ lines }) => pairOf(lines)).sort());
    for (const { variable, lines } of all) {
      // What is on the heap has no name.
      expect(predicted.get(pairOf(lines))).toMatch(new RegExp(`\\b${variable}\\b|^4 bytes at 0x`));
    }
    const soundly = predictedPairs(trace, expected.program, true);
    for (const { lines, evenSound = false } of infeasible) {
      expect(soundly.has(pairOf(lines))).toBe(evenSound);
    }
  });
});

it('has enough of both kinds', () => {
  const racy = scenarios.filter(({ expected }) => expected.races.length > 0);
  expect(racy.length).toBeGreaterThanOrEqual(16);
  expect(scenarios.length - racy.length).toBeGreaterThanOrEqual(8);
});
