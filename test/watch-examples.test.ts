/** Every program of examples/watch: its races are caught, and no others; its fixed twin is silent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from './harness/scratch.ts';
import {
  compileWatched,
  linesOf,
  watch,
  watchExamples,
  watchUntil,
} from './harness/watch-examples.ts';

describe.each(watchExamples())('$name: $expected.about', ({ folder, expected }) => {
  const truth = expected.races.map(({ lines }) => lines.join(' ')).sort();

  it('has the truth in its header', () => {
    const text = readFileSync(join(folder, expected.racy), 'utf8');
    const told = [...text.matchAll(/\* Race: (\w+), lines (\d+) and (\d+)\./g)];
    expect(told.map(([, , one, other]) => `${one} ${other}`)).toEqual(
      expected.races.map(({ lines }) => lines.join(' ')),
    );
    const lines = text.split('\n');
    for (const { variable, lines: both } of expected.races)
      for (const line of both) expect(lines[line - 1]).toMatch(new RegExp(`\\b${variable}\\b`));
  });

  it('is caught in the act', () => {
    const cwd = scratchFolder();
    compileWatched(join(folder, expected.racy), join(cwd, 'program'));
    const { status, report, stdout } = watchUntil(cwd, './program', ({ races }) =>
      truth.every((pair) => races.map(linesOf).includes(pair)),
    );
    expect(status).toBe(66);
    expect(stdout).toContain(expected.output);
    // A change that nobody was seen to make has one side; it is one of these, too.
    const bothKnown = report.races.filter((race) => linesOf(race).includes(' '));
    expect([...new Set(bothKnown.map(linesOf))].sort()).toEqual(truth);
    for (const race of report.races) {
      expect(truth.some((pair) => ` ${pair} `.includes(` ${linesOf(race)} `))).toBe(true);
    }
    for (const { object, verdict, kind, accesses } of bothKnown) {
      expect([verdict, kind]).toEqual(['confirmed', 'data-race']);
      expect(object.name).toMatch(new RegExp(`\\b${expected.races[0]!.variable}$`));
      for (const { value, registers, stack } of accesses) {
        expect(value).toMatch(/^([0-9a-f]{2})+$/);
        expect(registers?.rip).toMatch(/^0x/);
        expect(stack[0]?.line).toBeGreaterThan(0);
      }
    }
  });

  it('has a twin that stays silent', () => {
    const cwd = scratchFolder();
    compileWatched(join(folder, expected.fixed), join(cwd, 'program'));
    const { status, report } = watch(cwd, '--rate', '200', '--', './program', '3');
    expect(report.races).toEqual([]);
    expect(status).toBe(0);
    expect(report.stats.windows).toBeGreaterThan(0);
  });
});
