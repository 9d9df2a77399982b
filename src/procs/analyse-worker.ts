/** The thread that analyses one run. */
import { answer } from '../base/in-thread.ts';
import { openRunDirectory } from '../trace/open-run.ts';
import { type AnalyseOptions, analyse } from './analyse.ts';

export interface AnalysisTask {
  path: string;
  version: string;
  options: AnalyseOptions;
}

answer(({ path, version, options }: AnalysisTask) =>
  analyse(openRunDirectory(path), version, options),
);
