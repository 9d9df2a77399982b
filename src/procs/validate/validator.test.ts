import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Race } from '../../report/model.ts';
import { Run } from '../../trace/run-directory.ts';
import type { RunInfo } from '../../trace/run-info.ts';
import { NO_ORDER_IN_FILES } from '../check/order-in-files.ts';
import type { Attempted } from './attempt-thread.ts';
import type { Way } from './request.ts';
import { type Answer, ENDED, type FakeRun, fakePool } from './testdata/fake-threads.ts';
import { Validator } from './validator.ts';
import type { Verdict } from './verdict.ts';

const LIMIT_MS = 5000;
const RACE = { id: 'R1', object: { name: 'file' } } as Race;

interface Tested {
  readonly verdict: Verdict | undefined;
  /** What was run, in the order in which it began. */
  readonly runs: readonly FakeRun[];
  /** What is left in the folder for attempts. */
  readonly left: readonly string[];
}

/** The verdict on a race by a pool of so many threads, which answer that. */
async function verdictBy(
  size: number,
  answer: Answer,
  ownLimitMs?: number,
  recorded = ENDED,
): Promise<Tested> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-validator-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runs: FakeRun[] = [];
  const { pool } = await fakePool(size, (run) => {
    runs.push(run);
    mkdirSync(run.folder, { recursive: true });
    return answer(run);
  });
  const validator = new Validator(
    new Run(folder, { cwd: folder } as RunInfo),
    pool,
    NO_ORDER_IN_FILES,
    {
      ...{ limitMs: ownLimitMs, ignoreFiles: [], checks: [], keepsRuns: false },
      over: new AbortController().signal,
      baseline: { recorded: [recorded], unstable: { has: () => false }, limitMs: LIMIT_MS },
    },
  );
  await validator.prepare();
  // Of a doubtful one, only one instance is tried.
  const verdict = await validator.verdictOn(0, RACE, true);
  await validator.close();
  await pool.end();
  return { verdict, runs, left: readdirSync(join(folder, 'attempts')) };
}

/** The verdict on a race if runs take so long, and the limits that they were given. */
async function verdictIf(
  takes: Readonly<Partial<Record<Way['kind'], number>>>,
  ownLimitMs?: number,
  threads = 1,
): Promise<{ verdict: Verdict | undefined; limits: number[] }> {
  const answer: Answer = async ({ way, limitMs }) => {
    const milliseconds = takes[way.kind];
    if (milliseconds === undefined) return undefined;
    return { outcome: { ...ENDED, hung: milliseconds > limitMs }, milliseconds };
  };
  const { verdict, runs } = await verdictBy(threads, answer, ownLimitMs);
  const limits = runs.filter(({ way }) => way.kind === 'branch').map(({ limitMs }) => limitMs);
  return { verdict, limits };
}

it('a race hangs if the recorded order still ends as quickly as before', async () => {
  const { verdict } = await verdictIf({ branch: 1e9, recorded: 300 });
  expect(verdict).toMatchObject({ kind: 'harmful', findings: [{ checker: 'hang' }] });
});

it('a race does not hang if the machine has only become slower', async () => {
  const { verdict, limits } = await verdictIf({ branch: 7000, recorded: 6000 });
  expect(verdict?.kind).toBe('benign');
  expect(limits).toEqual([LIMIT_MS, 60_000]);
});

it('it does if that takes longer than the new limit, too', async () => {
  const { verdict, limits } = await verdictIf({ branch: 1e9, recorded: 6000 });
  expect(verdict?.kind).toBe('harmful');
  expect(limits).toEqual([LIMIT_MS, 60_000, 60_000]);
});

it('a limit of the user’s own holds on slow machines, too', async () => {
  const { verdict, limits } = await verdictIf({ branch: 7000, recorded: 6000 }, 2000);
  expect(verdict?.kind).toBe('harmful');
  expect(limits).toEqual([2000, 2000]);
});

const HARMLESS: Attempted = { outcome: ENDED, milliseconds: 1 };
const HARMFUL: Attempted = { outcome: { ...ENDED, exit: { code: 1 } }, milliseconds: 1 };
const ASTRAY: Attempted = { ...HARMLESS, diverged: 'it went elsewhere' };

const isAgain = ({ folder }: FakeRun): boolean => folder.endsWith('-again');

/** The folders' names. */
const names = (runs: readonly FakeRun[]): string[] =>
  runs.map(({ folder }) => folder.split('/').at(-1)!);

/** Goes on until it is ended. */
const untilEnded = ({ ended }: FakeRun): Promise<Attempted> =>
  new Promise((resolve) => ended.addEventListener('abort', () => resolve(HARMLESS)));

it('with a thread to spare, the second run is made beside the first', async () => {
  let begunAgain = (): void => {};
  const again = new Promise<void>((resolve) => {
    begunAgain = resolve;
  });
  const { verdict, runs } = await verdictBy(2, async (run) => {
    // The first does not end before the second has begun.
    if (isAgain(run)) begunAgain();
    else await again;
    return HARMFUL;
  });
  expect(verdict).toMatchObject({ kind: 'harmful', attempts: 2 });
  expect(runs).toHaveLength(2);
});

it('without, only after the first', async () => {
  const { verdict, runs } = await verdictBy(1, async () => HARMFUL);
  expect(verdict).toMatchObject({ kind: 'harmful', attempts: 2 });
  expect(names(runs)).toEqual(['R1-1', 'R1-1-again']);
});

it.each([
  ['benign', HARMLESS],
  ['diverged', ASTRAY],
])('a second run is ended if the first is %s', async (kind, first) => {
  const { verdict, runs, left } = await verdictBy(2, async (run) => {
    if (run.way.kind !== 'branch') return undefined;
    return isAgain(run) ? untilEnded(run) : first;
  });
  expect(verdict).toMatchObject({ kind, attempts: 1 });
  expect(runs.filter(isAgain).map(({ ended }) => ended.aborted)).toEqual([true]);
  expect(left).toEqual([]);
});

it('without a second failure there is no harm, whichever run it was that failed', async () => {
  const onlyFirst = await verdictBy(2, async (run) => (isAgain(run) ? HARMLESS : HARMFUL));
  expect(onlyFirst.verdict).toMatchObject({ kind: 'benign', attempts: 2 });
  const onlySecond = await verdictBy(2, async (run) => (isAgain(run) ? HARMFUL : HARMLESS));
  expect(onlySecond.verdict).toMatchObject({ kind: 'benign', attempts: 1 });
});

it.each<[string, () => Promise<Attempted | undefined>]>([
  ['goes astray', async () => ASTRAY],
  ['fails', () => Promise.reject(new Error('no sandbox'))],
  ['does not run', async () => undefined],
])('a second run that %s beside the first is made once more, alone', async (_, beside) => {
  let times = 0;
  const { verdict, runs } = await verdictBy(2, async (run) =>
    isAgain(run) && times++ === 0 ? beside() : HARMFUL,
  );
  expect(verdict).toMatchObject({ kind: 'harmful', attempts: 2 });
  expect(runs.filter(isAgain)).toHaveLength(2);
});

it('what fails alone, too, is told', async () => {
  const failing = verdictBy(2, (run) =>
    isAgain(run) ? Promise.reject(new Error('no sandbox')) : Promise.resolve(HARMFUL),
  );
  await expect(failing).rejects.toThrow('no sandbox');
});

it('a first run that fails does not leave the second one running', async () => {
  const seconds: FakeRun[] = [];
  const failing = verdictBy(2, (run) => {
    if (!isAgain(run)) return Promise.reject(new Error('no sandbox'));
    seconds.push(run);
    return untilEnded(run);
  });
  await expect(failing).rejects.toThrow('no sandbox');
  expect(seconds.map(({ ended }) => ended.aborted)).toEqual([true]);
});

it('two at once have twice the time before they hang', async () => {
  const slow = await verdictIf({ branch: 1.5 * LIMIT_MS, recorded: 300 }, undefined, 2);
  expect(slow.verdict?.kind).toBe('benign');
  const hanging = await verdictIf({ branch: 1e9, recorded: 300 }, undefined, 2);
  expect(hanging.verdict).toMatchObject({ kind: 'harmful', findings: [{ checker: 'hang' }] });
  expect(hanging.limits).toEqual([2 * LIMIT_MS, 2 * LIMIT_MS]);
});

it('that one has hung beside another proves nothing if the machine has become slower still', async () => {
  const { verdict, limits } = await verdictIf({ branch: 1e9, recorded: 6000 }, undefined, 2);
  expect(verdict?.kind).toBe('harmful');
  expect(limits).toEqual([2 * LIMIT_MS, 2 * LIMIT_MS, 60_000, 60_000]);
});

it('a limit of the user’s own is for one alone', async () => {
  const { limits } = await verdictIf({ branch: 7000, recorded: 6000 }, 2000, 2);
  expect(limits).toEqual([2000, 2000]);
});

it('a program without an end has no more time beside another', async () => {
  const endless = { ...ENDED, hung: true };
  const answer: Answer = async (run) => ({
    outcome: { ...endless, leftovers: [] },
    milliseconds: run.limitMs,
  });
  const { verdict, runs } = await verdictBy(2, answer, undefined, endless);
  expect(verdict?.kind).toBe('benign');
  expect(runs.map(({ limitMs }) => limitMs)).toEqual([LIMIT_MS, LIMIT_MS]);
});
