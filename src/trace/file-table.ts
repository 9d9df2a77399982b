/**
 * The kernel files that the records of one chunk mention, each stored once, although every record
 * brings an object of its own: four calls on the same log and two on the same pipe are two rows
 * here, and six small numbers in the records. Numbers count from 1 in each chunk anew.
 *
 * A small cache finds a file that was met before; files that fight for the same place in it may
 * be stored more than once, which costs a few bytes and does no harm.
 */
import type { ColumnReader } from './column-reader.ts';
import { ColumnWriter } from './column-writer.ts';
import type { KernelFile } from './records/kernel-file.ts';

export const fileTableWidth = 4;

const cacheSize = 1024;

export class FileCollector {
  readonly #table: ColumnWriter;
  /** The files in the cache, field by field. */
  readonly #ids = new Float64Array(cacheSize);
  readonly #devices = new Float64Array(cacheSize);
  readonly #inodes = new Float64Array(cacheSize);
  readonly #modes = new Float64Array(cacheSize);
  /** Their numbers; 0 for none. */
  readonly #numbers = new Uint32Array(cacheSize);

  constructor(mostFiles: number) {
    this.#table = new ColumnWriter(fileTableWidth, mostFiles);
  }

  /** The number of a file, which joins the table if it is new. */
  numberOf(id: number, device: number, inode: number, mode: number): number {
    const place = (inode ^ mode ^ (id / 64)) & (cacheSize - 1);
    const number = this.#numbers[place]!;
    const isKnown =
      number > 0 &&
      this.#inodes[place] === inode &&
      this.#ids[place] === id &&
      this.#devices[place] === device &&
      this.#modes[place] === mode;
    if (isKnown) return number;
    this.#ids[place] = id;
    this.#devices[place] = device;
    this.#inodes[place] = inode;
    this.#modes[place] = mode;
    this.#numbers[place] = this.#add(id, device, inode, mode);
    return this.#numbers[place]!;
  }

  take(): { table: Buffer; count: number } {
    this.#numbers.fill(0);
    const count = this.#table.rows;
    return { table: this.#table.take(), count };
  }

  #add(id: number, device: number, inode: number, mode: number): number {
    const table = this.#table;
    table.i64(id);
    table.i64(device);
    table.i64(inode);
    table.u32(mode);
    table.endRow();
    return table.rows;
  }
}

export function decodeFiles(table: ColumnReader, count: number): KernelFile[] {
  const files: KernelFile[] = [];
  for (let i = 0; i < count; i++) {
    table.beginRow();
    files.push({ id: table.i64(), device: table.i64(), inode: table.i64(), mode: table.u32() });
  }
  table.finish();
  return files;
}
