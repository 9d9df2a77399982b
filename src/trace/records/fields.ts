/**
 * The fields that a record can have: numbers (see column-writer.ts), and what is stored only once
 * and mentioned by its number, texts and kernel files. An absent one has the number 0.
 */
import { ColumnReader } from '../column-reader.ts';
import { ColumnWriter } from '../column-writer.ts';
import { intact } from '../damage.ts';
import type { FileCollector } from '../file-table.ts';
import type { StringCollector } from '../string-table.ts';
import type { KernelFile } from './kernel-file.ts';

export class FieldWriter extends ColumnWriter {
  readonly #strings: StringCollector;
  readonly #files: FileCollector;

  constructor(width: number, mostRows: number, strings: StringCollector, files: FileCollector) {
    super(width, mostRows);
    this.#strings = strings;
    this.#files = files;
  }

  text(value: string): void {
    this.u32(this.#strings.numberOf(value));
  }

  optionalText(value: string | undefined): void {
    this.u32(value === undefined ? 0 : this.#strings.numberOf(value));
  }

  optionalFile(value: KernelFile | undefined): void {
    if (value === undefined) this.u32(0);
    else this.file(value.id, value.device, value.inode, value.mode);
  }

  file(id: number, device: number, inode: number, mode: number): void {
    this.u32(this.#files.numberOf(id, device, inode, mode));
  }

  /** What `text` would write; it stays the same for all of the recording. */
  numberOf(text: string): number {
    return this.#strings.numberOf(text);
  }
}

export class FieldReader extends ColumnReader {
  readonly #strings: readonly string[];
  readonly #files: readonly KernelFile[];

  constructor(
    bytes: Buffer,
    start: number,
    width: number,
    strings: readonly string[],
    files: readonly KernelFile[],
  ) {
    super(bytes, start, width);
    this.#strings = strings;
    this.#files = files;
  }

  text(): string {
    return mentioned(this.#strings, this.u32());
  }

  optionalText(): string | undefined {
    const number = this.u32();
    return number === 0 ? undefined : mentioned(this.#strings, number);
  }

  optionalFile(): KernelFile | undefined {
    const number = this.u32();
    return number === 0 ? undefined : mentioned(this.#files, number);
  }
}

function mentioned<T>(list: readonly T[], number: number): T {
  const found = list[number - 1];
  intact(found !== undefined, 'something is mentioned before it is defined');
  return found;
}
