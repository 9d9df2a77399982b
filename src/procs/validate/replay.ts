/** Runs a recorded run once more, in its own order or with a race the other way round. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/user-error.ts';
import { savedReport } from '../../report/saved-report.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { discard } from './attempt-folders.ts';
import { AttemptThread } from './attempt-thread.ts';
import type { Way } from './request.ts';
import { requireReplayable } from './require-replayable.ts';
import { AMBUSH } from './told-verdict.ts';

/** The one that was found to do harm, if any was. */
const provenInstance = (run: Run, race: string): number =>
  savedReport(run)?.races.find(({ id }) => id === race)?.instance ?? 0;

function wayOf(run: Run, id: string, race: number): Way {
  const instance = provenInstance(run, id);
  return instance === AMBUSH ? { kind: 'ambush', race } : { kind: 'branch', race, instance };
}

export interface Replayed {
  readonly exit: RunOutcome['exit'];
  /** It did not end by itself. */
  readonly hung: boolean;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly folder: string;
  readonly diverged?: string | undefined;
  /** What came in another order than recorded, before any race that was to be turned round. */
  readonly outOfTurn?: string | undefined;
}

const LIMIT_MS = 600_000;

export interface ReplayOptions {
  readonly version: string;
  readonly limitMs?: number | undefined;
  /** Ends the program. */
  readonly stop: AbortSignal;
}

/**
 * `race` is the id of one, or absent for the recorded order. undefined if it was stopped before
 * there was anything to see.
 */
export async function replay(
  run: Run,
  race: string | undefined,
  { version, limitMs = LIMIT_MS, stop }: ReplayOptions,
): Promise<Replayed | undefined> {
  requireReplayable(run);
  const onlyRecordedOrder = race === undefined;
  const task = { runPath: run.path, home: run.home, version, all: true, onlyRecordedOrder };
  const thread = new AttemptThread(task);
  try {
    const { found } = await thread.start();
    const races = found ? [...found.report.races, ...found.doubtful.races] : [];
    const index = races.findIndex(({ id }) => id === race);
    if (race !== undefined && index < 0) {
      throw new UserError(
        `${run.name} has no race ${race}`,
        `'deadheat detect ${run.name} --all' shows those that it has`,
      );
    }
    const way = race === undefined ? ({ kind: 'recorded' } as const) : wayOf(run, race, index);
    const folder = join(run.path, 'attempts', `replay-${race ?? 'recorded'}`);
    if (stop.aborted) return undefined;
    discard(folder);
    stop.addEventListener('abort', () => thread.interrupt());
    const tried = await thread.run(way, folder, limitMs);
    if (!tried) throw new UserError(`nothing can put ${race} the other way round`, 'try another');
    const { exit, hung, stdout, stderr } = tried.outcome;
    const read = (path: string): Buffer => readFileSync(encodeBytes(path));
    const errors = stderr === stdout ? Buffer.alloc(0) : read(stderr);
    const { diverged, outOfTurn } = tried;
    return { exit, hung, stdout: read(stdout), stderr: errors, folder, diverged, outOfTurn };
  } finally {
    await thread.end();
  }
}
