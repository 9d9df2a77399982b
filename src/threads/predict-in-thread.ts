/** Predicts in a thread of its own, which may take most of the machine's memory and can be stopped. */
import { totalmem } from 'node:os';
import { ExitStatus } from '../base/exit-status.ts';
import { inThread } from '../base/in-thread.ts';
import { UserError } from '../base/user-error.ts';
import type { Run } from '../trace/run-directory.ts';
import type { PredictionAnswer, PredictionTask } from './predict-worker.ts';

const SHARE_OF_MEMORY = 0.75;

export interface PredictInThreadOptions
  extends Pick<PredictionTask, 'scripts'>,
    Pick<PredictionTask, 'options'> {
  /** Then the search ends; what it has not come to is undecided. */
  readonly stop: AbortSignal;
}

export function predictInThread(
  { path, name }: Run,
  { options, scripts, stop }: PredictInThreadOptions,
): Promise<PredictionAnswer> {
  const word = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  stop.addEventListener('abort', () => Atomics.store(word, 0, 1));
  const task: PredictionTask = { path, options, scripts, stop: word };
  const megabytes = Math.floor((totalmem() / 2 ** 20) * SHARE_OF_MEMORY);
  const tooLittle = (): UserError =>
    new UserError(
      `the trace of ${name} is too large to be looked at in ${megabytes} MB of memory`,
      'trace less of the program at a time, or predict on a larger machine',
      ExitStatus.unavailable,
    );
  return inThread('workers/predict.js', task, { megabytes, tooLittle });
}
