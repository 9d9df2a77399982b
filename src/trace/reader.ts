/**
 * Reads a recording, a chunk at a time, in the order in which it was written:
 *
 *   const trace = readTrace(run.traceFile);
 *   for (const record of trace) …
 *   trace.totals?.droppedEvents
 *
 * A damaged or unfinished file is an error once all records before the damage have been handed
 * out. With `salvage` it is not: the records just end there, and `loss` tells what was lost. The
 * checksums of a chunk are verified before the first of its records is handed out.
 */
import type { Loss } from './damage.ts';
import { Damage, DamagedTraceError } from './damage.ts';
import type { TraceRecord } from './records/record.ts';
import type { TraceTotals } from './totals.ts';
import { TracePass } from './trace-pass.ts';

export interface ReadOptions {
  readonly salvage?: boolean;
}

export function readTrace(path: string, options: ReadOptions = {}): Trace {
  return new Trace(path, options.salvage ?? false);
}

/** Each loop over it reads the file anew; `totals` and `loss` belong to the last one. */
export class Trace implements Iterable<TraceRecord> {
  readonly #path: string;
  readonly #salvage: boolean;
  /** Known once a loop came to the end of a complete recording. */
  totals: TraceTotals | undefined;
  /** Known once a salvaging loop came to the damage. */
  loss: Loss | undefined;

  constructor(path: string, salvage: boolean) {
    this.#path = path;
    this.#salvage = salvage;
  }

  *[Symbol.iterator](): Generator<TraceRecord, void> {
    this.totals = undefined;
    this.loss = undefined;
    const pass = new TracePass(this.#path);
    try {
      for (let record = pass.next(); record !== undefined; record = pass.next()) yield record;
      this.totals = pass.totals;
    } catch (error) {
      if (!(error instanceof Damage)) throw error;
      const loss = pass.lossBy(error);
      if (!this.#salvage) throw new DamagedTraceError(this.#path, loss);
      this.loss = loss;
    } finally {
      pass.close();
    }
  }
}
