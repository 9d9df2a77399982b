/** The thread that predicts the races of one run, and writes the checks down if that is asked for. */
import { answer } from '../base/in-thread.ts';
import type { Report } from '../report/model.ts';
import { openRunDirectory } from '../trace/open-run.ts';
import { type Exported, exportChecks } from './export-checks.ts';
import { type PredictRunOptions, predictRun } from './predict-run.ts';
import { scriptWriter } from './script-folder.ts';

export interface PredictionTask {
  readonly path: string;
  readonly options: Pick<PredictRunOptions, 'version' | 'salvage' | 'sound' | 'budgetMs'>;
  /** Where scripts go. */
  readonly scripts: string | undefined;
  /** A word that is not 0 once the user has enough. */
  readonly stop: Int32Array;
}

export interface PredictionAnswer {
  readonly report: Report;
  readonly exported: Exported | undefined;
}

answer(({ path, options, scripts, stop }: PredictionTask): PredictionAnswer => {
  const isStopped = (): boolean => Atomics.load(stop, 0) !== 0;
  const run = openRunDirectory(path);
  const { report, trace, predicted } = predictRun(run, { ...options, isStopped });
  const exported =
    scripts === undefined
      ? undefined
      : exportChecks(trace, predicted, options, scriptWriter(scripts));
  return { report, exported };
});
