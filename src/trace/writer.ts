/**
 * Writes a recording, synchronously, since the recorder that calls it blocks its thread:
 *
 *   const writer = new TraceWriter(run.traceFile);
 *   writer.append({ kind: 'start', … });
 *   writer.close({ droppedEvents: 0 });
 *
 * Records reach the disk a chunk at a time, so a recorder that dies takes up to a chunk with it;
 * `flush` writes what there is. Memory is bounded but for the string table.
 *
 * A full disk is a UserError from `append`, `flush` or `close`. The file then ends after its last
 * whole chunk, and the writer repeats the same error until it is closed; closing it without totals
 * leaves a file that says it is unfinished.
 */
import { ChunkType } from './chunk.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { processFamily } from './family.ts';
import type { WriteSync } from './output-file.ts';
import { RecordCollector } from './record-chunk.ts';
import type { CallRow } from './records/call.ts';
import type { TraceRecord } from './records/record.ts';
import { StringCollector } from './string-table.ts';
import type { TraceTotals } from './totals.ts';

export interface WriterOptions {
  /** For tests: fewer records make more chunks. */
  readonly recordsPerChunk?: number;
  readonly write?: WriteSync;
}

/** Not a power of two, lest all columns compete for the same lines of the processor's cache. */
const defaultRecordsPerChunk = 8192 + 16;

/** New strings are written once they take this much, even if there are few records yet. */
const mostStringBytes = 2 ** 20;

export class TraceWriter {
  readonly #chunks: ChunkWriter;
  readonly #strings = new StringCollector();
  readonly #records: RecordCollector;
  #written = 0;

  constructor(path: string, options: WriterOptions = {}) {
    this.#records = new RecordCollector(
      options.recordsPerChunk ?? defaultRecordsPerChunk,
      this.#strings,
    );
    this.#chunks = new ChunkWriter(path, processFamily, options.write);
  }

  append(record: TraceRecord): void {
    this.#chunks.throwFailure();
    try {
      this.#records.add(record);
    } catch (error) {
      throw this.#chunks.failed(error);
    }
    this.#flushIfFull();
  }

  appendCall(row: CallRow): void {
    this.#chunks.throwFailure();
    try {
      this.#records.addCall(row);
    } catch (error) {
      throw this.#chunks.failed(error);
    }
    this.#flushIfFull();
  }

  /** Writes what has been collected, as a chunk of its own. */
  flush(): void {
    this.#chunks.guarded(() => {
      if (this.#strings.pendingBytes > 0) {
        this.#chunks.append(ChunkType.strings, this.#strings.take());
      }
      if (this.#records.count === 0) return;
      const records = this.#records.take();
      this.#chunks.append(ChunkType.records, records);
      this.#written += records.count;
    });
  }

  /** Marks the recording as finished. The file is closed in any case. */
  close(totals: Omit<TraceTotals, 'records'>): void {
    this.#chunks.close(() => {
      this.flush();
      return { records: this.#written, ...totals };
    });
  }

  #flushIfFull(): void {
    if (this.#records.isFull || this.#strings.pendingBytes > mostStringBytes) this.flush();
  }
}
