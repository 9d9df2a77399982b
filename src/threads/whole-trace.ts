/** The trace of a run, in memory. */
import { ExitStatus } from '../base/exit-status.ts';
import { UserError } from '../base/user-error.ts';
import type { Run } from '../trace/run-directory.ts';
import { ThreadTrace } from './model/trace.ts';
import { readThreadTrace } from './storage/reader.ts';

/** With what weakens what can be said about it. One with holes is refused. */
export function readWholeTrace(
  run: Pick<Run, 'name' | 'traceFile'>,
  salvage: boolean,
): { trace: ThreadTrace; warnings: string[] } {
  const file = readThreadTrace(run.traceFile, { salvage });
  const chunks = file.chunks();
  const trace = new ThreadTrace(file.tables);
  for (const events of chunks) trace.appendAll(events);
  const { loss, totals } = file;
  const dropped = totals?.droppedEvents ?? 0;
  if (dropped > 0) {
    throw new UserError(
      `the trace of ${run.name} lacks ${dropped} events, so its order is not known`,
      'trace again, with more room',
      ExitStatus.unavailable,
    );
  }
  if (trace.length === 0) {
    throw new UserError(
      `the trace of ${run.name} is empty, which says nothing about races`,
      'trace a program with threads that share something',
    );
  }
  const warnings = [
    ...(loss ? [`the trace could be read only up to chunk ${loss.chunk}: ${loss.reason}`] : []),
    ...(totals?.interrupted === undefined
      ? []
      : [`the trace ends before its program did: ${totals.interrupted}`]),
  ];
  return { trace, warnings };
}
