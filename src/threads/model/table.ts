/**
 * A table of things that events point to, as objects towards the outside:
 *
 *   const locks = new Table<Lock>(texts, { kind: LOCK_KINDS, address: 'number', symbol: 'text' });
 *   locks.add({ kind: 'mutex', address: 0x4040, symbol: 'm' })   → 0, its number
 *   locks.row(0)                                                 → { kind: 'mutex', … }
 *
 * Inside, rows are numbers (row-table.ts): a text is its number among the trace's texts, a choice its
 * place in its list. Lists of choices may only grow at their ends, since these numbers are on disk.
 */
import { assert } from '../../base/assert.ts';
import { NONE } from './op.ts';
import { RowTable } from './row-table.ts';
import type { Texts } from './texts.ts';

/** `{ rowOf }`: the number of a row of that table, or NONE. */
export type Field = 'number' | 'text' | readonly string[] | { readonly rowOf: RowTable };

export class Table<Row> {
  readonly rows: RowTable;
  readonly #texts: Texts;
  readonly #fields: readonly (readonly [name: string, field: Field])[];
  readonly #columnOf: ReadonlyMap<string, number>;

  constructor(texts: Texts, fields: Readonly<Record<keyof Row & string, Field>>) {
    this.#texts = texts;
    this.#fields = Object.entries<Field>(fields);
    this.#columnOf = new Map(this.#fields.map(([name], column) => [name, column]));
    this.rows = new RowTable(this.#fields.length);
  }

  get count(): number {
    return this.rows.count;
  }

  add(row: Row): number {
    const values = row as Readonly<Record<string, string | number>>;
    return this.rows.add(this.#fields.map(([name, field]) => this.#toNumber(field, values[name]!)));
  }

  row(number: number): Row {
    const entries = this.#fields.map(([name, field], column) => [
      name,
      this.#fromNumber(field, this.rows.get(number, column)),
    ]);
    return Object.fromEntries(entries) as Row;
  }

  /** One field of a row, without making an object. */
  cell<Name extends keyof Row & string>(number: number, name: Name): Row[Name] {
    const column = this.#columnOf.get(name)!;
    const [, field] = this.#fields[column]!;
    return this.#fromNumber(field, this.rows.get(number, column)) as Row[Name];
  }

  /** What is wrong with a row that was read from a file; undefined if nothing is. */
  faultOf(row: readonly number[]): string | undefined {
    for (const [column, [name, field]] of this.#fields.entries()) {
      const limit = this.#limitOf(field);
      const value = row[column]!;
      if (limit === undefined || (Number.isInteger(value) && value >= 0 && value < limit)) continue;
      const mayBeNone = typeof field === 'object' && 'rowOf' in field;
      if (!mayBeNone || value !== NONE) return `a row without its ${name}`;
    }
    return undefined;
  }

  #limitOf(field: Field): number | undefined {
    if (field === 'number') return undefined;
    if (field === 'text') return this.#texts.count;
    return 'rowOf' in field ? field.rowOf.count : field.length;
  }

  #toNumber(field: Field, value: string | number): number {
    if (typeof value === 'number') return value;
    if (field === 'text') return this.#texts.numberOf(value);
    assert(Array.isArray(field) && field.includes(value), `no ${value} in this list`);
    return field.indexOf(value);
  }

  #fromNumber(field: Field, number: number): string | number {
    if (field === 'text') return this.#texts.at(number);
    return Array.isArray(field) ? field[number]! : number;
  }
}
