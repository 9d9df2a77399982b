import { expect, it } from 'vitest';
import { ENDED, type FakeRun, fakePool } from './testdata/fake-threads.ts';

const WAY = { kind: 'free' } as const;
const LIMIT_MS = 5000;
const attempted = { outcome: ENDED, milliseconds: 1 };

/** Runs that go on until they are told to end. */
function endless(): { runs: FakeRun[]; answer: (run: FakeRun) => Promise<undefined> } {
  const runs: FakeRun[] = [];
  const answer = (run: FakeRun): Promise<undefined> => {
    runs.push(run);
    return new Promise((resolve) => {
      run.ended.addEventListener('abort', () => resolve(undefined));
    });
  };
  return { runs, answer };
}

it('a thread is spare if no race is being tried for which it is kept', async () => {
  const { pool } = await fakePool(2, async () => attempted);
  await pool.trying(async () => {
    expect(pool.hasSpareThread).toBe(true);
    // Also while neither of the two races runs anything, such as when it is being checked.
    await pool.trying(async () => expect(pool.hasSpareThread).toBe(false));
    expect(pool.hasSpareThread).toBe(true);
  });
});

it('no thread is spare if the processors have enough to do', async () => {
  const { pool } = await fakePool(2, async () => attempted);
  pool.mostAtOnce = 1;
  await pool.trying(async () => expect(pool.hasSpareThread).toBe(false));
});

it('a thread that makes one run beside is not spare for another', async () => {
  const { answer } = endless();
  const { pool } = await fakePool(2, answer);
  await pool.trying(async () => {
    const beside = pool.runBeside(WAY, '/a', LIMIT_MS);
    expect(pool.hasSpareThread).toBe(false);
    await beside.cancel();
    expect(pool.hasSpareThread).toBe(true);
  });
});

it('a run that is needed does not wait for one that may not be', async () => {
  const runs: string[] = [];
  const answer = async ({ folder, ended }: FakeRun): Promise<typeof attempted | undefined> => {
    runs.push(folder);
    if (folder === '/needed') return attempted;
    return new Promise((resolve) => ended.addEventListener('abort', () => resolve(undefined)));
  };
  const { pool } = await fakePool(2, answer);
  await pool.trying(async () => {
    const beside = pool.runBeside(WAY, '/beside', LIMIT_MS);
    expect(await pool.run(WAY, '/needed', LIMIT_MS)).toBe(attempted);
    await beside.cancel();
    expect(await beside.result()).toBeUndefined();
  });
  expect(runs).toEqual(['/beside', '/needed']);
});

it('to cancel what is over ends nobody else’s run', async () => {
  const { runs, answer } = endless();
  const { pool } = await fakePool(1, async (run) =>
    run.folder === '/beside' ? attempted : answer(run),
  );
  const beside = pool.runBeside(WAY, '/beside', LIMIT_MS);
  expect(await beside.result()).toBe(attempted);
  const other = pool.run(WAY, '/other', LIMIT_MS);
  await beside.cancel();
  expect(runs.map(({ folder, ended }) => [folder, ended.aborted])).toEqual([['/other', false]]);
  pool.interrupt();
  await other;
});

it('a run beside that fails leaves its thread to others', async () => {
  const { pool } = await fakePool(1, async ({ folder }) => {
    if (folder === '/fails') throw new Error('no sandbox');
    return attempted;
  });
  expect(await pool.runBeside(WAY, '/fails', LIMIT_MS).result()).toBeUndefined();
  expect(await pool.run(WAY, '/next', LIMIT_MS)).toBe(attempted);
});

it('a thread that has died gets no more runs', async () => {
  const { pool, threads } = await fakePool(2, async ({ folder }) => {
    if (folder !== '/dies') return attempted;
    threads[1]!.isReady = false;
    throw new Error('out of memory');
  });
  await pool.trying(async () => {
    expect(await pool.runBeside(WAY, '/dies', LIMIT_MS).result()).toBeUndefined();
    expect(pool.hasSpareThread).toBe(false);
    expect(await pool.run(WAY, '/next', LIMIT_MS)).toBe(attempted);
  });
});

it('nothing is spare once it is interrupted', async () => {
  const { pool } = await fakePool(2, async () => attempted);
  pool.interrupt();
  expect(pool.hasSpareThread).toBe(false);
});

it('the end does not come before runs beside have ended', async () => {
  let isOver = false;
  const { pool, threads } = await fakePool(1, ({ ended }) => {
    const over = (resolve: (value: undefined) => void): void => {
      setTimeout(() => {
        isOver = true;
        resolve(undefined);
      }, 10);
    };
    return new Promise((resolve) => ended.addEventListener('abort', () => over(resolve)));
  });
  pool.runBeside(WAY, '/beside', LIMIT_MS);
  const { end } = threads[0]!;
  threads[0]!.end = async () => {
    expect(isOver).toBe(true);
    await end.call(threads[0]);
  };
  await pool.end();
  expect(threads[0]!.isReady).toBe(false);
});
