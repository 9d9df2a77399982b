/** Makes a run of a trace that another tool has written. */
import { ownFolder } from '../linux/own-process.ts';
import { createRun, type Run } from '../trace/run-directory.ts';
import { importStd } from './std/import.ts';
import { ThreadTraceWriter } from './storage/writer.ts';

export interface ImportOptions {
  readonly version: string;
  readonly output?: string | undefined;
}

export interface ImportedRun {
  readonly run: Run;
  readonly threads: number;
  readonly events: number;
}

export function importRun(file: string, { version, output }: ImportOptions): ImportedRun {
  const cwd = ownFolder();
  const command = ['deadheat', 'trace', '--import', file];
  const info = { version, engine: 'threads', command, cwd, recorder: 'import' } as const;
  const run = createRun(info, { output });
  try {
    const writer = new ThreadTraceWriter(run.traceFile);
    try {
      importStd(file, writer);
    } catch (error) {
      writer.abandon();
      throw error;
    }
    writer.close({ droppedEvents: 0 });
    run.update({ state: 'complete' });
    return { run, threads: writer.tables.threads.count, events: writer.length };
  } catch (error) {
    noteFailure(run, error);
    throw error;
  }
}

/** On a full disk, why the import failed is what the user must hear of. */
function noteFailure(run: Run, error: unknown): void {
  try {
    run.update({
      state: 'failed',
      reason: error instanceof Error ? error.message : String(error),
    });
  } catch {
    // Told already.
  }
}
