/**
 * The rows that a line number program makes, in columns: a program of a million lines has several
 * million of them.
 */
import { isInImage } from './addresses.ts';
import type { RangeOf } from './disjoint-ranges.ts';

/** Rows `from` to just before `to`; the addresses of these rise. */
export interface Sequence {
  readonly from: number;
  readonly to: number;
}

export interface LineRows {
  readonly addresses: Float64Array;
  readonly files: Uint32Array;
  readonly lines: Uint32Array;
  readonly columns: Uint32Array;
  readonly sequences: readonly RangeOf<Sequence>[];
}

interface Row {
  address: number;
  file: number;
  line: number;
  column: number;
}

export class LineRowsBuilder {
  readonly #addresses: number[] = [];
  readonly #files: number[] = [];
  readonly #lines: number[] = [];
  readonly #columns: number[] = [];
  readonly #sequences: RangeOf<Sequence>[] = [];
  #from = 0;
  #isRising = true;

  add(address: number, file: number, line: number, column: number): void {
    const last = this.#addresses.length - 1;
    if (last >= this.#from) {
      const before = this.#addresses[last]!;
      if (address < before) this.#isRising = false;
      // The last row of an address is the one that counts: what was before it has no instruction.
      if (address === before) return this.#set(last, { address, file, line, column });
    }
    this.#set(last + 1, { address, file, line, column });
  }

  /** What the linker dropped is forgotten. */
  endSequence(end: number): void {
    if (!this.#isRising) this.#sort();
    const from = this.#from;
    const to = this.#addresses.length;
    const low = this.#addresses[from] ?? end;
    if (to > from && isInImage(low, end)) {
      this.#sequences.push({ low, high: end, value: { from, to } });
      this.#from = to;
    } else {
      for (const column of [this.#addresses, this.#files, this.#lines, this.#columns])
        column.length = from;
    }
    this.#isRising = true;
  }

  finish(): LineRows {
    return {
      addresses: Float64Array.from(this.#addresses),
      files: Uint32Array.from(this.#files),
      lines: Uint32Array.from(this.#lines),
      columns: Uint32Array.from(this.#columns),
      sequences: this.#sequences,
    };
  }

  #set(at: number, { address, file, line, column }: Row): void {
    this.#addresses[at] = address;
    this.#files[at] = file;
    this.#lines[at] = line;
    this.#columns[at] = column;
  }

  /** Not seen from compilers; the standard forbids it. */
  #sort(): void {
    const rows: Row[] = [];
    for (let i = this.#from; i < this.#addresses.length; i++) {
      rows.push({
        address: this.#addresses[i]!,
        file: this.#files[i]!,
        line: this.#lines[i]!,
        column: this.#columns[i]!,
      });
    }
    rows.sort((a, b) => a.address - b.address);
    rows.forEach((row, i) => {
      this.#set(this.#from + i, row);
    });
  }
}
