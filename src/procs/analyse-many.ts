/** Analyses runs, each in a thread of its own (analyse-worker.ts), at most `jobs` at a time. */
import { totalmem } from 'node:os';
import { ExitStatus } from '../base/exit-status.ts';
import { inThread } from '../base/in-thread.ts';
import { tellProgress } from '../base/progress.ts';
import { UserError } from '../base/user-error.ts';
import type { Report } from '../report/model.ts';
import type { AnalyseOptions } from './analyse.ts';
import type { AnalysisTask } from './analyse-worker.ts';

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
  const isOneOfMany = paths.length > 1;
  let done = 0;
  const takeTurns = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, path] = next;
      const task: AnalysisTask = { path, version, options };
      reports[index] = await inThread<Report>('workers/analyse.js', task, {
        megabytes,
        tooLittle: () => tooLittle(task, megabytes),
        isOneOfMany,
      });
      if (isOneOfMany) tellProgress('runs looked at', ++done, paths.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return reports;
}

function tooLittle({ path }: AnalysisTask, megabytes: number): UserError {
  return new UserError(
    `the recording in ${path} is too large to be analysed in ${megabytes} MB of memory`,
    'record less of the program at a time, or analyse it on a larger machine',
    ExitStatus.unavailable,
  );
}
