/** Analyses several runs at once, each in a thread of its own, at most `jobs` at a time. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { fromPlainError, type PlainError, toPlainError } from '../base/plain-error.ts';
import type { Report } from '../report/model.ts';
import { openRunDirectory } from '../trace/open-run.ts';
import { type AnalyseOptions, analyse } from './analyse.ts';

interface Task {
  path: string;
  version: string;
  options: AnalyseOptions;
}

type Answer = { report: Report } | { error: PlainError };

/** The reports in the order of the run directories; fails with the first error. */
export async function analyseMany(
  paths: readonly string[],
  version: string,
  options: AnalyseOptions,
  jobs: number,
): Promise<Report[]> {
  const reports: Report[] = [];
  const waiting = [...paths.entries()];
  const takeTurns = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, path] = next;
      reports[index] = await inThread({ path, version, options });
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, paths.length) }, takeTurns));
  return reports;
}

function inThread(task: Task): Promise<Report> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    worker.once('error', reject);
    worker.once('message', (answer: Answer) => {
      if ('report' in answer) resolve(answer.report);
      else reject(fromPlainError(answer.error));
    });
  });
}

function answerTo({ path, version, options }: Task): Answer {
  try {
    return { report: analyse(openRunDirectory(path), version, options) };
  } catch (error) {
    return { error: toPlainError(error) };
  }
}

if (!isMainThread) parentPort?.postMessage(answerTo(workerData as Task));
