/**
 * A table of things that events point to: rows of numbers, kept column by column in typed arrays, since
 * a trace may have millions of variables and an object for each would take more than all its events.
 *
 *   const locks = new RowTable(2);
 *   locks.add([kind, address])  → 0, its number
 *   locks.get(0, 1)             → the address
 *
 * Rows are only ever added; a number once given out keeps its meaning.
 */
import { assert } from '../../base/assert.ts';

const FIRST_CAPACITY = 64;

export class RowTable {
  readonly #columns: Float64Array[];
  #count = 0;

  constructor(width: number) {
    this.#columns = Array.from({ length: width }, () => new Float64Array(FIRST_CAPACITY));
  }

  get width(): number {
    return this.#columns.length;
  }

  get count(): number {
    return this.#count;
  }

  add(row: readonly number[]): number {
    const columns = this.#columns;
    assert(row.length === columns.length, 'a row without the width of its table');
    if (this.#count === columns[0]!.length) this.#grow();
    for (let i = 0; i < columns.length; i++) columns[i]![this.#count] = row[i]!;
    return this.#count++;
  }

  get(row: number, column: number): number {
    assert(row < this.#count, 'a row that its table does not have');
    return this.#columns[column]![row]!;
  }

  #grow(): void {
    for (const [i, column] of this.#columns.entries()) {
      const larger = new Float64Array(2 * column.length);
      larger.set(column);
      this.#columns[i] = larger;
    }
  }
}
