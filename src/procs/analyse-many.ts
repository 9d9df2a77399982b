/**
 * Analyses runs, each in a thread of its own (analyse-worker.ts), at most `jobs` at a time. A thread
 * may be given more memory than Node allows by itself, and if that is not enough, we live to tell.
 */
import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../base/built-file.ts';
import { ExitStatus } from '../base/exit-status.ts';
import { fromPlainError } from '../base/plain-error.ts';
import { UserError } from '../base/user-error.ts';
import type { Report } from '../report/model.ts';
import type { AnalyseOptions } from './analyse.ts';
import type { Analysis, AnalysisTask } from './analyse-worker.ts';

/** How much of the machine's memory all threads together may take. */
const SHARE_OF_MEMORY = 0.75;

/** The reports in the order of the run directories; fails with the first error. */
export async function analyseMany(
  paths: readonly string[],
  version: string,
  options: AnalyseOptions,
  jobs: number,
): Promise<Report[]> {
  const reports: Report[] = [];
  const waiting = [...paths.entries()];
  const atOnce = Math.min(jobs, paths.length);
  const megabytes = Math.floor((totalmem() / 2 ** 20 / atOnce) * SHARE_OF_MEMORY);
  const takeTurns = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, path] = next;
      reports[index] = await inThread({ path, version, options }, megabytes);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return reports;
}

function inThread(task: AnalysisTask, megabytes: number): Promise<Report> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(builtFile('workers/analyse.js'), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    });
    worker.once('error', (error) => reject(explained(error, task, megabytes)));
    worker.once('message', (answer: Analysis) => {
      if ('report' in answer) resolve(answer.report);
      else reject(fromPlainError(answer.error));
    });
  });
}

function explained(error: Error, { path }: AnalysisTask, megabytes: number): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new UserError(
    `the recording in ${path} is too large to be analysed in ${megabytes} MB of memory`,
    'record less of the program at a time, or analyse it on a larger machine',
    ExitStatus.unavailable,
  );
}
