/**
 * The slots of a hash table whose entries are rows of columns elsewhere: a slot holds a row's number.
 * Rows are never removed.
 *
 *   for (let slot = slots.first(hash); ; slot = slots.after(slot))
 *     slots.at(slot) is EMPTY_SLOT (not there) or a row to compare with
 */
export const EMPTY_SLOT = -1;

export class HashSlots {
  #rows = new Int32Array(128).fill(EMPTY_SLOT);
  #count = 0;

  first(hash: number): number {
    return hash & (this.#rows.length - 1);
  }

  after(slot: number): number {
    return (slot + 1) & (this.#rows.length - 1);
  }

  at(slot: number): number {
    return this.#rows[slot]!;
  }

  /** All rows so far are 0 … row; at most half of the slots are taken, so that chains stay short. */
  insert(row: number, hashOf: (row: number) => number): void {
    this.#count++;
    if (2 * this.#count <= this.#rows.length) {
      this.#place(row, hashOf(row));
      return;
    }
    this.#rows = new Int32Array(2 * this.#rows.length).fill(EMPTY_SLOT);
    for (let one = 0; one < this.#count; one++) this.#place(one, hashOf(one));
  }

  #place(row: number, hash: number): void {
    let slot = this.first(hash);
    while (this.#rows[slot] !== EMPTY_SLOT) slot = this.after(slot);
    this.#rows[slot] = row;
  }
}
