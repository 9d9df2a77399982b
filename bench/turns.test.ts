import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { takeTurns, timedWork } from './turns.ts';

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'deadheat-turns-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};

/** Bytes that are gone through: work that takes its time by processors alone. */
const bytes = (count: number): string[] => ['sh', '-c', `head -c ${count} /dev/zero | md5sum >sum`];

it('what takes turns is timed by its own turns', async () => {
  const own = folder();
  const work = bytes(100_000_000);
  const began = performance.now();
  const found = await takeTurns(
    new Map([
      ['one', timedWork([], work)],
      ['other', timedWork([], work)],
      ['twice', timedWork([], bytes(200_000_000))],
    ]),
    own,
  );
  const whole = performance.now() - began;
  const [one, other, twice] = [...found.values()].map(({ running }) => running);
  expect(one! + other! + twice!).toBeLessThan(whole);
  // They had the processors in turns: each by itself would have been as fast.
  expect(one! + other! + twice!).toBeGreaterThan(whole / 2);
  expect(twice!).toBeGreaterThan(Math.min(one!, other!));
});

it('one that fails ends the others', async () => {
  const endless = timedWork([], ['sleep', '1000']);
  const failing = timedWork([], ['false']);
  const ways = new Map([
    ['endless', endless],
    ['failing', failing],
  ]);
  await expect(takeTurns(ways, folder())).rejects.toThrow(/ended with 1/);
});
