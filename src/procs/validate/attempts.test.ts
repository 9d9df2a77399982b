import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Run } from '../../trace/run-directory.ts';
import type { RunInfo } from '../../trace/run-info.ts';
import { Attempts, type Named, type Tried } from './attempts.ts';
import { type Answer, ENDED, fakePool } from './testdata/fake-threads.ts';

const order = (turned: boolean): Named => ({
  way: { kind: 'serial', race: 0, instance: 0, turned },
  name: `R1-1-serial-${turned ? 2 : 1}`,
});

/** Makes both runs with so many threads; says how many went on at once. */
async function bothBy(
  size: number,
  answer: Answer,
): Promise<{ tried: readonly Tried[]; atOnce: number; made: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-attempts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let going = 0;
  let atOnce = 0;
  const { pool } = await fakePool(size, async (run) => {
    mkdirSync(run.folder, { recursive: true });
    atOnce = Math.max(atOnce, ++going);
    await pause(1);
    const attempted = await answer(run);
    going--;
    return attempted;
  });
  const attempts = new Attempts(new Run(folder, { cwd: folder } as RunInfo), pool, undefined);
  const tried = await pool.trying(() => attempts.tryBoth(order(false), order(true)));
  await attempts.cleared();
  await pool.end();
  return { tried, atOnce, made: attempts.madeFor('R1') };
}

const ended: Answer = async () => ({ outcome: ENDED, milliseconds: 1 });

it('two runs that are needed are made at once if a thread is spare', async () => {
  const { tried, atOnce, made } = await bothBy(2, ended);
  expect(tried).toEqual([
    { outcome: ENDED, milliseconds: 1 },
    { outcome: ENDED, milliseconds: 1 },
  ]);
  expect([atOnce, made]).toEqual([2, 2]);
});

it('otherwise one after the other', async () => {
  const { tried, atOnce, made } = await bothBy(1, ended);
  expect(tried).toHaveLength(2);
  expect([atOnce, made]).toEqual([1, 2]);
});

it('each keeps its place, and what went astray beside another is made again', async () => {
  let asked = 0;
  const { tried } = await bothBy(2, async ({ way }) => {
    const isSecond = way.kind === 'serial' && way.turned;
    const diverged = isSecond && asked++ === 0 ? 'astray' : undefined;
    return { outcome: ENDED, milliseconds: isSecond ? 2 : 1, diverged };
  });
  expect(tried).toMatchObject([{ milliseconds: 1 }, { milliseconds: 2 }]);
  expect(asked).toBe(2);
});
