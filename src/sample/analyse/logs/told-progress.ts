/** How much of the logs of a process was read, for people who wait. */
import { tellProgress } from '../../../base/progress.ts';
import type { SamplingLog } from '../../collect/sampling-log.ts';

const TELL_EVERY = 4096;

/** A function to be called for every record. */
export function progressOver(doing: string, logs: readonly SamplingLog[]): () => void {
  const total = kilobytes(logs, ({ length }) => length);
  let records = 0;
  return () => {
    if (records++ % TELL_EVERY !== 0) return;
    tellProgress(
      doing,
      kilobytes(logs, ({ position }) => position),
      total,
    );
  };
}

function kilobytes(logs: readonly SamplingLog[], of: (log: SamplingLog) => number): number {
  return Math.round(logs.reduce((sum, log) => sum + of(log), 0) / 1024);
}
