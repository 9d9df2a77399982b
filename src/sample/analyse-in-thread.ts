/** Analyses sampled runs in a thread of its own, which may take most of the machine's memory. */
import { totalmem } from 'node:os';
import { ExitStatus } from '../base/exit-status.ts';
import { inThread } from '../base/in-thread.ts';
import { UserError } from '../base/user-error.ts';
import type { Report } from '../report/model.ts';
import type { AnalysisTask } from './analyse-worker.ts';

const SHARE_OF_MEMORY = 0.75;

export function analyseInThread(task: AnalysisTask): Promise<Report> {
  const megabytes = Math.floor((totalmem() / 2 ** 20) * SHARE_OF_MEMORY);
  const tooLittle = (): UserError =>
    new UserError(
      `there are too many samples to be looked at in ${megabytes} MB of memory`,
      'analyse fewer runs at a time, or do it on a larger machine',
      ExitStatus.unavailable,
    );
  return inThread('workers/sample.js', task, { megabytes, tooLittle });
}
