/** The thread that analyses one run. */
import { parentPort, workerData } from 'node:worker_threads';
import { type PlainError, toPlainError } from '../base/plain-error.ts';
import type { Report } from '../report/model.ts';
import { openRunDirectory } from '../trace/open-run.ts';
import { type AnalyseOptions, analyse } from './analyse.ts';

export interface AnalysisTask {
  path: string;
  version: string;
  options: AnalyseOptions;
}

export type Analysis = { report: Report } | { error: PlainError };

function answerTo({ path, version, options }: AnalysisTask): Analysis {
  try {
    return { report: analyse(openRunDirectory(path), version, options) };
  } catch (error) {
    return { error: toPlainError(error) };
  }
}

parentPort?.postMessage(answerTo(workerData as AnalysisTask));
