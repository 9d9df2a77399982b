/** What `validate` and `procs` share: trying races, with a progress bar. */
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { DetectionOptions, ValidationOptions } from './common-options.ts';
import { startProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export async function validateRun(
  run: Run,
  options: ValidationOptions & DetectionOptions,
  terminal: Terminal,
): Promise<Report> {
  const { validate } = await import('../procs/validate/validate.ts');
  let bar: Awaited<ReturnType<typeof startProgress>> | undefined;
  try {
    return await validate(run, {
      version,
      all: options.all ?? false,
      budgetMs: options.budget,
      limitMs: options.timeout,
      ignoreFiles: options.ignoreFiles,
      progress: async (done, total) => {
        bar ??= await startProgress(terminal, total);
        bar.update(done, 'races tried');
      },
    });
  } finally {
    bar?.stop();
  }
}
