/** Rows of a table on disk: the columns of src/trace/column-writer.ts, a chunk for a few thousand rows. */
import { ColumnReader } from '../../trace/column-reader.ts';
import { ColumnWriter } from '../../trace/column-writer.ts';
import { intact } from '../../trace/damage.ts';
import type { RowTable } from '../model/row-table.ts';
import type { Table } from '../model/table.ts';

export const ROWS_PER_CHUNK = 8192;

export function encodeRows(rows: RowTable, first: number, end: number): Buffer {
  const writer = new ColumnWriter(rows.width, end - first);
  for (let row = first; row < end; row++) {
    for (let column = 0; column < rows.width; column++) writer.i64(rows.get(row, column));
    writer.endRow();
  }
  return writer.take();
}

export function decodeRows(contents: Buffer, count: number, table: Table<unknown>): void {
  intact(count > 0 && count <= ROWS_PER_CHUNK, `its ${count} rows are impossible`);
  const { rows } = table;
  const reader = new ColumnReader(contents, 0, rows.width);
  intact(reader.end === contents.length, 'bytes after the last row');
  const row = new Array<number>(rows.width);
  for (let i = 0; i < count; i++) {
    reader.beginRow();
    for (let column = 0; column < row.length; column++) row[column] = reader.i64();
    const fault = table.faultOf(row);
    intact(fault === undefined, fault ?? '');
    rows.add(row);
  }
  reader.finish();
}
