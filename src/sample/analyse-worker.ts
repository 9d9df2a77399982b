/** The thread that analyses sampled runs, and leaves the report in the first of them. */
import { join } from 'node:path';
import { answer } from '../base/in-thread.ts';
import { keptReport } from '../report/kept-report.ts';
import type { Report } from '../report/model.ts';
import { openRunDirectory } from '../trace/open-run.ts';
import { analyseSamples } from './analyse/analyse.ts';
import { buildReport, type SampledRun } from './report.ts';
import { readSampledInfo, SAMPLES_FOLDER } from './sampled-info.ts';

export interface AnalysisTask {
  /** Of the runs: at least one. */
  readonly paths: readonly string[];
  readonly version: string;
  readonly symbols: readonly string[];
}

answer(({ paths, version, symbols }: AnalysisTask): Report => {
  const runs = paths.map(openRunDirectory);
  const sampled = runs.map((run): SampledRun => ({ run, sampled: readSampledInfo(run) }));
  const folders = runs.map(({ name, path, info }, index) => ({
    ...{ name, folder: join(path, SAMPLES_FOLDER), startedAt: Date.parse(info.startedAt) },
    logs: sampled[index]!.sampled.logs,
  }));
  const [first, ...others] = sampled;
  const report = buildReport([first!, ...others], version, analyseSamples(folders, { symbols }));
  return keptReport(report, (text) => runs[0]!.saveReport(text));
});
