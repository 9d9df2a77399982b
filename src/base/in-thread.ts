/**
 * Work that is done by a thread of its own, which may be given more memory than Node allows by itself; and if
 * that is not enough, we live to tell. How far it has come is told in the main thread.
 *
 *   // main thread
 *   const report = await inThread<Report>('workers/analyse.js', task, { megabytes, tooLittle });
 *   // dist/workers/analyse.js
 *   answer((task: AnalysisTask) => analyse(task));
 */
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { builtFile } from './built-file.ts';
import { fromPlainError, type PlainError, toPlainError } from './plain-error.ts';
import { endProgress, listenToProgress, type Progress, tellProgress } from './progress.ts';

type Answer<Result> =
  | { readonly result: Result }
  | { readonly error: PlainError }
  | { readonly progress: Progress };

export interface ThreadOptions {
  readonly megabytes: number;
  /** What to tell the user if that is not enough. */
  readonly tooLittle: () => Error;
  /** Of many threads at once, it is for others to tell how far they have come. */
  readonly isOneOfMany?: boolean;
}

export function inThread<Result>(
  file: string,
  task: unknown,
  { megabytes, tooLittle, isOneOfMany = false }: ThreadOptions,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(builtFile(file), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    worker.once('error', (error) => {
      const { code } = error as NodeJS.ErrnoException;
      reject(code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLittle() : error);
    });
    worker.on('message', (answered: Answer<Result>) => {
      if ('progress' in answered) {
        const { doing, done, total } = answered.progress;
        if (!isOneOfMany) tellProgress(doing, done, total);
        return;
      }
      if (!isOneOfMany) endProgress();
      if ('result' in answered) resolve(answered.result);
      else reject(fromPlainError(answered.error));
    });
  });
}

/** In the thread. */
export function answer<Task, Result>(work: (task: Task) => Result): void {
  let answered: Answer<Result>;
  listenToProgress((progress) => {
    if (progress) parentPort?.postMessage({ progress });
  });
  try {
    answered = { result: work(workerData as Task) };
  } catch (error) {
    answered = { error: toPlainError(error) };
  }
  parentPort?.postMessage(answered);
}
