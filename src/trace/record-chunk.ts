/**
 * The contents of a chunk of records: the kind of each record, one byte each, which keeps their
 * order; the files that they mention; then a table for each kind that occurs, by their codes.
 *
 *   call call exit call   →   03 03 04 03 | 2 files | table of 3 calls | table of 1 exit
 */
import { ColumnReader } from './column-reader.ts';
import { intact } from './damage.ts';
import { decodeFiles, FileCollector, fileTableWidth } from './file-table.ts';
import { type CallRow, call } from './records/call.ts';
import { FieldReader, FieldWriter } from './records/fields.ts';
import type { AnyKind, TraceRecord } from './records/record.ts';
import { kindOf, kindOfCode } from './records/record.ts';
import type { StringCollector } from './string-table.ts';

/** Collects records until there are enough for a chunk. */
export class RecordCollector {
  readonly #strings: StringCollector;
  readonly #files: FileCollector;
  readonly #order: Uint8Array;
  readonly #tables: (FieldWriter | undefined)[] = [];
  #count = 0;

  constructor(capacity: number, strings: StringCollector) {
    this.#strings = strings;
    this.#files = new FileCollector(2 * capacity);
    this.#order = new Uint8Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === this.#order.length;
  }

  add(record: TraceRecord): void {
    const kind = kindOf(record);
    const table = this.#tables[kind.code] ?? this.#addTable(kind);
    kind.encode(record, table);
    table.endRow();
    this.#order[this.#count++] = kind.code;
  }

  /** The same for a call that encodes itself. */
  addCall(row: CallRow): void {
    const table = this.#tables[call.code] ?? this.#addTable(call);
    row.encode(table);
    table.endRow();
    this.#order[this.#count++] = call.code;
  }

  /** The records since the last call, as a chunk's contents. */
  take(): { contents: Buffer; count: number } {
    const count = this.#count;
    const files = this.#files.take();
    const fileCount = Buffer.alloc(4);
    fileCount.writeUInt32LE(files.count);
    const tables = this.#tables.filter((table) => table !== undefined && table.rows > 0);
    const contents = Buffer.concat([
      this.#order.subarray(0, count),
      fileCount,
      files.table,
      ...tables.map((table) => table!.take()),
    ]);
    this.#count = 0;
    return { contents, count };
  }

  #addTable(kind: Pick<AnyKind, 'code' | 'width'>): FieldWriter {
    const table = new FieldWriter(kind.width, this.#order.length, this.#strings, this.#files);
    this.#tables[kind.code] = table;
    return table;
  }
}

/** The records of one chunk, one at a time. */
export class RecordChunk {
  readonly #order: Uint8Array;
  readonly #tables: FieldReader[] = [];
  #next = 0;

  constructor(contents: Buffer, count: number, strings: readonly string[]) {
    intact(
      count > 0 && count + 4 <= contents.length,
      `${count} records in ${contents.length} bytes`,
    );
    this.#order = contents.subarray(0, count);
    const fileTable = new ColumnReader(contents, count + 4, fileTableWidth);
    const fileCount = contents.readUInt32LE(count);
    intact(fileCount <= 2 * count, `${fileCount} files for ${count} records`);
    const files = decodeFiles(fileTable, fileCount);
    let at = fileTable.end;
    for (const code of new Set(this.#order.toSorted())) {
      const kind = kindOfCode[code];
      intact(kind !== undefined, `records of an unknown kind, ${code}`);
      const table = new FieldReader(contents, at, kind.width, strings, files);
      this.#tables[code] = table;
      at = table.end;
    }
    intact(at === contents.length, `${contents.length - at} bytes after the last record`);
  }

  get left(): number {
    return this.#order.length - this.#next;
  }

  next(): TraceRecord {
    const code = this.#order[this.#next++]!;
    const table = this.#tables[code]!;
    table.beginRow();
    const record = kindOfCode[code]!.decode(table);
    if (this.left === 0) for (const used of this.#tables) used?.finish();
    return record;
  }
}
