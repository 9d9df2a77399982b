/**
 * Reads a thread trace, a chunk at a time:
 *
 *   const trace = readThreadTrace(run.traceFile);
 *   for (const chunk of trace.chunks()) …
 *   trace.totals?.droppedEvents
 *
 * A damaged or unfinished file is an error once all chunks before the damage have been handed out. With
 * `salvage` it is not: the events just end there, and `loss` tells what was lost.
 */
import type { Loss } from '../../trace/damage.ts';
import { Damage, DamagedTraceError } from '../../trace/damage.ts';
import type { ReadOptions } from '../../trace/reader.ts';
import type { TraceTotals } from '../../trace/totals.ts';
import type { EventColumns } from '../model/event-columns.ts';
import { TraceTables } from '../model/tables.ts';
import type { ThreadTraceSource } from '../model/trace.ts';
import { ThreadTrace } from '../model/trace.ts';
import { EventPass } from './event-pass.ts';

export function readThreadTrace(path: string, options: ReadOptions = {}): ThreadTraceFile {
  return new ThreadTraceFile(path, options.salvage ?? false);
}

/** All of it in memory. */
export function loadThreadTrace(path: string, options: ReadOptions = {}): ThreadTrace {
  const file = readThreadTrace(path, options);
  const chunks = file.chunks();
  const trace = new ThreadTrace(file.tables);
  for (const events of chunks) trace.appendAll(events);
  return trace;
}

/** Each call of `chunks` reads the file anew; `tables`, `totals` and `loss` belong to the last one. */
export class ThreadTraceFile implements ThreadTraceSource {
  readonly path: string;
  readonly #salvage: boolean;
  tables = new TraceTables();
  /** Known once a loop came to the end of a complete trace. */
  totals: TraceTotals | undefined;
  /** Known once a salvaging loop came to the damage. */
  loss: Loss | undefined;

  constructor(path: string, salvage: boolean) {
    this.path = path;
    this.#salvage = salvage;
  }

  chunks(): Iterable<EventColumns> {
    this.totals = undefined;
    this.loss = undefined;
    this.tables = new TraceTables();
    return this.#walk(this.tables);
  }

  *#walk(tables: TraceTables): Generator<EventColumns, void> {
    const pass = new EventPass(this.path, tables);
    try {
      for (let chunk = pass.next(); chunk !== undefined; chunk = pass.next()) yield chunk;
      this.totals = pass.totals;
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      const loss = pass.lossBy(error);
      if (!this.#salvage) throw new DamagedTraceError(this.path, loss);
      this.loss = loss;
    } finally {
      pass.close();
    }
  }
}
