/** The same for numbers: each gets a number in the order of first appearance, without a Map's limits. */
export class NumberNames {
  #count = 0;
  #slots = new Int32Array(256);
  #values = new Float64Array(128);

  get count(): number {
    return this.#count;
  }

  /** Its number, which is the former `count` if it is new. */
  numberOf(value: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(value) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1;
      if (number < 0) return this.#add(value, slot);
      if (this.#values[number] === value) return number;
    }
  }

  #add(value: number, slot: number): number {
    const number = this.#count++;
    this.#slots[slot] = number + 1;
    this.#values[number] = value;
    if (this.#count === this.#values.length) this.#grow();
    return number;
  }

  #grow(): void {
    const values = new Float64Array(2 * this.#count);
    values.set(this.#values);
    this.#values = values;
    this.#slots = new Int32Array(4 * this.#count);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#count; number++) {
      let slot = hash(values[number]!) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}

/** Neighbours, which are the rule, stay neighbours: no two of them meet. */
function hash(value: number): number {
  return (value | 0) ^ Math.floor(value / 2 ** 32);
}
