import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ChosenEvent } from './choose-event.ts';
import type { RunningSamples } from './running-samples.ts';
import { createSamplesFolder, openSamples } from './samples-folder.ts';

const TIMER: ChosenEvent = { kind: 'timer', period: 4e6, shortest: 4e6, why: '' };
const CLOCK: ChosenEvent = {
  ...{ kind: 'cpu-clock', period: 200_000, shortest: 10_000, why: '' },
  perf: { type: 1, config: 0n, precise: 0 },
};

/** The one who has started it, and one who comes later. */
function both(): [RunningSamples, RunningSamples] {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-samples-'));
  const path = join(folder, 'samples');
  const settings = { on: true, stacks: false, maxLogBytes: 1 << 20 };
  const { samples } = createSamplesFolder(path, TIMER, settings);
  const later = openSamples(join(path, 'control'));
  onTestFinished(() => {
    for (const one of [samples, later]) one.close();
    rmSync(folder, { recursive: true });
  });
  return [samples, later];
}

it('a period that was given by hand stays, whatever the budget says', () => {
  const [starter, later] = both();
  starter.period = 5e6;
  expect(later.period).toBe(5e6);
  later.use(CLOCK);
  starter.period = 6e6;
  expect([starter.period, later.period]).toEqual([200_000, 200_000]);
});

it('the event is told as it is now', () => {
  const [starter, later] = both();
  expect(starter.kind).toBe('timer');
  later.use(CLOCK);
  expect([starter.kind, later.kind]).toEqual(['cpu-clock', 'cpu-clock']);
  later.use({ ...CLOCK, kind: 'instructions', perf: { type: 0, config: 1n, precise: 0 } });
  expect(starter.kind).toBe('instructions');
});
