/**
 * Writes a thread trace into a file while it is made:
 *
 *   const writer = new ThreadTraceWriter(run.traceFile);
 *   const worker = writer.tables.threads.add({ name: 'worker', … });
 *   writer.append(worker, Op.write, variable, site);
 *   writer.close({ droppedEvents: 0 });
 *
 * Memory holds the tables and one chunk of events. A full disk is a UserError from `append`, `flush` or
 * `close`; the file then ends after its last whole chunk, and says that it is unfinished.
 */
import { encodeBytes } from '../../base/bytes.ts';
import { ChunkType } from '../../trace/chunk.ts';
import { ChunkWriter } from '../../trace/chunk-writer.ts';
import type { WriteSync } from '../../trace/output-file.ts';
import { encodeStrings } from '../../trace/string-table.ts';
import type { TraceTotals } from '../../trace/totals.ts';
import { EVENTS_PER_CHUNK, EventColumns } from '../model/event-columns.ts';
import { TraceTables } from '../model/tables.ts';
import type { ThreadTraceBuilder } from '../model/trace.ts';
import { encodeEvents } from './event-chunk.ts';
import { firstTableType, threadFamily } from './family.ts';
import { encodeRows, ROWS_PER_CHUNK } from './row-chunk.ts';

export interface ThreadTraceWriterOptions {
  /** For tests: fewer events make more chunks. */
  readonly eventsPerChunk?: number;
  readonly write?: WriteSync;
}

/** A chunk of texts is written once it takes this much. */
const mostTextBytes = 2 ** 20;

export class ThreadTraceWriter implements ThreadTraceBuilder {
  readonly tables = new TraceTables();
  readonly #chunks: ChunkWriter;
  readonly #events: EventColumns;
  #written = 0;
  /** How much of the texts and of each table is in the file. */
  #textsWritten = 1;
  readonly #rowsWritten = this.tables.all.map(() => 0);

  constructor(path: string, options: ThreadTraceWriterOptions = {}) {
    this.#chunks = new ChunkWriter(path, threadFamily, options.write);
    this.#events = new EventColumns(options.eventsPerChunk ?? EVENTS_PER_CHUNK);
  }

  /** Events so far. */
  get length(): number {
    return this.#written + this.#events.count;
  }

  append(thread: number, op: number, target: number, site: number): void {
    if (this.#events.isFull) this.flush();
    this.#events.append(thread, op, target, site);
  }

  /** Writes what there is by now. */
  flush(): void {
    this.#chunks.guarded(() => {
      this.#flushTexts();
      for (const i of this.#rowsWritten.keys()) this.#flushRows(i);
      if (this.#events.count === 0) return;
      const count = this.#events.count;
      this.#chunks.append(ChunkType.records, { contents: encodeEvents(this.#events), count });
      this.#written += count;
      this.#events.count = 0;
    });
  }

  /** Marks the trace as finished. The file is closed in any case. */
  close(totals: Omit<TraceTotals, 'records'>): void {
    this.#chunks.close(() => {
      this.flush();
      return { records: this.#written, ...totals };
    });
  }

  /** Closes the file as it is: unfinished. */
  abandon(): void {
    this.#chunks.abandon();
  }

  #flushTexts(): void {
    const { texts } = this.tables;
    let pending: Buffer[] = [];
    let bytes = 0;
    for (; this.#textsWritten < texts.count; this.#textsWritten++) {
      const text = encodeBytes(texts.at(this.#textsWritten));
      pending.push(text);
      bytes += text.length;
      if (bytes < mostTextBytes) continue;
      this.#writeTexts(pending);
      pending = [];
      bytes = 0;
    }
    this.#writeTexts(pending);
  }

  #writeTexts(texts: readonly Buffer[]): void {
    if (texts.length === 0) return;
    const contents = encodeStrings(texts);
    this.#chunks.append(ChunkType.strings, { contents, count: texts.length });
  }

  #flushRows(table: number): void {
    const { rows } = this.tables.all[table]!;
    while (this.#rowsWritten[table]! < rows.count) {
      const first = this.#rowsWritten[table]!;
      const end = Math.min(rows.count, first + ROWS_PER_CHUNK);
      const contents = encodeRows(rows, first, end);
      this.#chunks.append(firstTableType + table, { contents, count: end - first });
      this.#rowsWritten[table] = end;
    }
  }
}
