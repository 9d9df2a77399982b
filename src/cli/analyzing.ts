/** What `analyze` tells the user about sampled runs, and how it exits because of it. */
import { resolve } from 'node:path';
import { UserError } from '../base/user-error.ts';
import { ownFolder } from '../linux/own-process.ts';
import type { Report } from '../report/model.ts';
import { findRunOf } from '../trace/find-run.ts';
import type { Run } from '../trace/run-directory.ts';
import type { Caught } from './catching.ts';
import type { AnalyzeOptions } from './commands/analyze.ts';
import type { Outcome } from './outcome.ts';
import { present } from './present.ts';
import { showingProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

export async function analyzeAndTell(
  names: readonly string[],
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<Outcome> {
  const runs = namedRuns(names);
  const report = await analyzed(runs, options, terminal);
  if (!options.confirm) return present(report, options, terminal);
  const caught = await caughtIn(runs[0]!, report, options, terminal);
  const status = present(caught.report, options, terminal);
  return caught.interruptedBy === undefined ? status : { signal: caught.interruptedBy };
}

/** If the program cannot be watched, what was predicted is still worth telling. */
async function caughtIn(
  run: Run,
  report: Report,
  options: AnalyzeOptions,
  terminal: Terminal,
): Promise<Caught> {
  const { catchInTheAct } = await import('./catching.ts');
  try {
    return await catchInTheAct(run, report, options, terminal);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    terminal.warn(`races were predicted, but not watched for: ${error.message}; ${error.remedy}`);
    return { report, interruptedBy: undefined };
  }
}

/** A run that is named twice counts once. */
function namedRuns(names: readonly string[]): Run[] {
  const runs = new Map(
    names.map((name) => {
      const run = findRunOf('sample', name);
      return [run.path, run];
    }),
  );
  return [...runs.values()];
}

export async function analyzed(
  runs: readonly Run[],
  { symbols }: Pick<AnalyzeOptions, 'symbols'>,
  terminal: Terminal,
): Promise<Report> {
  const { analyseInThread } = await import('../sample/analyse-in-thread.ts');
  const folders = symbols.map((folder) => resolve(ownFolder(), folder));
  const paths = runs.map(({ path }) => path);
  return showingProgress(terminal, () => analyseInThread({ paths, version, symbols: folders }));
}
