/** What `validate` and `procs` share: trying races, with a progress bar; Ctrl-C ends it early. */
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import type { DetectionOptions, ValidationOptions } from './common-options.ts';
import { startProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export async function validateRun(
  run: Run,
  {
    all,
    budget,
    timeout,
    check,
    ignoreFiles,
    jobs,
    recursive,
  }: ValidationOptions & DetectionOptions,
  terminal: Terminal,
): Promise<Report> {
  const { validate } = await import('../procs/validate/validate.ts');
  const progress = await startProgress(terminal, 1);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await validate(run, {
      version,
      all: all ?? false,
      budgetMs: budget,
      limitMs: timeout,
      jobs,
      recursive,
      checks: check,
      ignoreFiles,
      stop: stop.signal,
      progress: (done, total) => progress.update(done, 'races tried', total),
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
    progress.stop();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
