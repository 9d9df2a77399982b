import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Race } from '../../report/model.ts';
import { Run } from '../../trace/run-directory.ts';
import type { RunInfo } from '../../trace/run-info.ts';
import { NO_ORDER_IN_FILES } from '../check/order-in-files.ts';
import type { RunOutcome } from '../check/outcome.ts';
import type { AttemptPool } from './attempt-pool.ts';
import type { Attempted } from './attempt-thread.ts';
import type { Way } from './request.ts';
import { Validator, type Verdict } from './validator.ts';

const ENDED: RunOutcome = {
  ...{ exit: { code: 0 }, hung: false, deaths: [], leftovers: [], layers: [] },
  ...{ stdout: '/dev/null', stderr: '/dev/null' },
};
const LIMIT_MS = 5000;
const RACE = { id: 'R1', object: { name: 'file' } } as Race;

/** The verdict on a race if runs take so long, and the limits that they were given. */
async function verdictIf(
  takes: Readonly<Partial<Record<Way['kind'], number>>>,
  ownLimitMs?: number,
): Promise<{ verdict: Verdict | undefined; limits: number[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-validator-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const limits: number[] = [];
  const run = async (way: Way, _: string, limitMs: number): Promise<Attempted | undefined> => {
    const milliseconds = takes[way.kind];
    if (milliseconds === undefined) return undefined;
    if (way.kind === 'branch') limits.push(limitMs);
    return { outcome: { ...ENDED, hung: milliseconds > limitMs }, milliseconds };
  };
  const validator = new Validator(
    new Run(folder, { cwd: folder } as RunInfo),
    { run } as unknown as AttemptPool,
    NO_ORDER_IN_FILES,
    {
      ...{ limitMs: ownLimitMs, ignoreFiles: [], checks: [], keepsRuns: false },
      over: new AbortController().signal,
      baseline: { recorded: [ENDED], unstable: { has: () => false }, limitMs: LIMIT_MS },
    },
  );
  await validator.prepare();
  // Of a doubtful one, only one instance is tried.
  return { verdict: await validator.verdictOn(0, RACE, true), limits };
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
