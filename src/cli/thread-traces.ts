/** What `trace` does with a run that is there: prints it, counts it, or writes it for other tools. */
import * as fs from 'node:fs';
import { encodeBytes } from '../base/bytes.ts';
import { UserError } from '../base/user-error.ts';
import { printTrace } from '../threads/show/print.ts';
import { describeStatistics, statisticsOf } from '../threads/show/statistics.ts';
import { exportStd } from '../threads/std/export.ts';
import { readThreadTrace, type ThreadTraceFile } from '../threads/storage/reader.ts';
import { findRunOf } from '../trace/find-run.ts';
import type { Outcome } from './outcome.ts';
import type { Terminal } from './terminal.ts';
import { toOutput } from './text-output.ts';

export interface ShownAs {
  print?: true;
  stats?: true;
  export?: string;
  threads?: string;
  from?: number;
  to?: number;
  salvage?: true;
}

export function showRun(name: string, options: ShownAs, terminal: Terminal): Outcome {
  const run = findRunOf('threads', name);
  const trace = readThreadTrace(run.traceFile, { salvage: options.salvage ?? false });
  if (options.export !== undefined) exportTo(options.export, trace, terminal);
  else if (options.stats) terminal.print(statistics(trace));
  else {
    const threads = options.threads?.split(',');
    toOutput('-', (write) => printTrace(trace, { ...options, threads }, write));
  }
  const { loss, totals } = trace;
  if (loss) {
    const what = `${loss.bytesLost} bytes after the first ${loss.recordsBefore} events`;
    terminal.warn(`${run.name} is damaged: ${loss.reason}; ${what} were left out`);
  }
  if (totals?.interrupted !== undefined) {
    terminal.warn(`${run.name} ends before its program did: ${totals.interrupted}`);
  }
  if (totals && totals.droppedEvents > 0) {
    terminal.warn(`${run.name} lacks ${totals.droppedEvents} events that could not be kept`);
  }
  return { status: 0 };
}

function statistics(trace: ThreadTraceFile): string {
  const seen = statisticsOf(trace);
  return describeStatistics(seen, fs.statSync(encodeBytes(trace.path)).size);
}

function exportTo(file: string, trace: ThreadTraceFile, terminal: Terminal): void {
  if (file !== '-') requireAnotherFile(file, trace.path);
  toOutput(file, (write) => {
    const sites = exportStd(trace, write);
    const places = [...sites.table()];
    if (file === '-' || places.length === 0) return;
    toOutput(`${file}.locs`, (writePlace) => {
      for (const place of places) writePlace(place);
    });
    terminal.remark(`the places in the program are in ${file}.locs`);
  });
}

/** The trace would be gone before it was read. */
function requireAnotherFile(file: string, traceFile: string): void {
  const [there, ours] = [file, traceFile].map((path) =>
    fs.statSync(encodeBytes(path), { throwIfNoEntry: false }),
  );
  if (there && ours && there.dev === ours.dev && there.ino === ours.ino) {
    throw new UserError(`${file} is the trace itself`, 'name another file');
  }
}
