import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pid } from '../linux/ids.ts';
import { Budget, NO_COST } from './budget.ts';
import { type Steered, Steering } from './steering.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts more samples with each look, at a cost that is far too high; its processor time is our own. */
function steered(): Steered & { told: boolean[] } {
  let samples = 0;
  const told: boolean[] = [];
  return {
    on: true,
    period: 100_000,
    told,
    switch(on) {
      Object.assign(this, { on });
      told.push(on);
    },
    figures() {
      samples += 1000;
      burn();
      return { ...NO_COST, samples, handlerNs: samples * 1e6 };
    },
    processes: () => [pid(process.pid)],
  };
}

/** /proc counts in hundredths of a second, those of the program and of the kernel each for itself. */
function burn(): void {
  const { user, system } = process.cpuUsage();
  for (;;) {
    const now = process.cpuUsage();
    if (now.user + now.system - user - system > 30_000) return;
  }
}

it('a period that costs too much becomes longer, while sampling is on', () => {
  const program = steered();
  const steering = new Steering(program, {
    budget: new Budget(0.02, { period: 100_000, shortest: 10_000 }),
  });
  steering.begin();
  vi.advanceTimersByTime(1500);
  expect(program.period).toBe(100_000);
  vi.advanceTimersByTime(2000);
  expect(program.period).toBe(400_000);
  program.switch(false);
  vi.advanceTimersByTime(3000);
  expect(program.period).toBe(400_000);
  steering.end();
});

it('windows turn sampling on and off', () => {
  const program = steered();
  const steering = new Steering(program, { windows: { lengthMs: 100, everyMs: 1000 } });
  steering.begin();
  vi.advanceTimersByTime(1050);
  steering.end();
  vi.advanceTimersByTime(5000);
  expect(program.told).toEqual([true, false, true]);
});
