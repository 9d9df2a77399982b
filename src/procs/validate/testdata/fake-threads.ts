/** For tests: a pool whose threads run nothing, but answer as they are told. */
import type { Report } from '../../../report/model.ts';
import { NO_ORDER_IN_FILES } from '../../check/order-in-files.ts';
import type { RunOutcome } from '../../check/outcome.ts';
import { AttemptPool, type PoolThread } from '../attempt-pool.ts';
import type { Attempted } from '../attempt-thread.ts';
import type { Way } from '../request.ts';

export const ENDED: RunOutcome = {
  ...{ exit: { code: 0 }, hung: false, deaths: [], leftovers: [], layers: [] },
  ...{ stdout: '/dev/null', stderr: '/dev/null' },
};

export interface FakeRun {
  readonly way: Way;
  readonly folder: string;
  readonly limitMs: number;
  /** Fires when somebody ends it. */
  readonly ended: AbortSignal;
}

export type Answer = (run: FakeRun) => Promise<Attempted | undefined>;

export class FakeThread implements PoolThread {
  readonly #answer: Answer;
  #ending: AbortController | undefined;
  isReady = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  async start(): ReturnType<PoolThread['start']> {
    this.isReady = true;
    const none = { races: [], tasks: [] };
    const found = { report: {} as Report, doubtful: none, orderIn: NO_ORDER_IN_FILES };
    return { found, missing: [], processorMs: 0 };
  }

  async run(way: Way, folder: string, limitMs: number): Promise<Attempted | undefined> {
    const ending = new AbortController();
    this.#ending = ending;
    try {
      return await this.#answer({ way, folder, limitMs, ended: ending.signal });
    } finally {
      this.#ending = undefined;
    }
  }

  interrupt(): void {
    this.#ending?.abort();
  }

  async end(): Promise<void> {
    this.isReady = false;
  }
}

/** A pool of so many; each asks `answer` what becomes of a run. */
export async function fakePool(
  size: number,
  answer: Answer,
): Promise<{ pool: AttemptPool; threads: readonly FakeThread[] }> {
  const threads: FakeThread[] = [];
  const makeThread = (): FakeThread => {
    const thread = new FakeThread(answer);
    threads.push(thread);
    return thread;
  };
  const task = { runPath: '/run', home: '/', version: '0', all: false };
  const { pool } = await AttemptPool.start(task, makeThread);
  await pool.growTo(size);
  return { pool, threads };
}
