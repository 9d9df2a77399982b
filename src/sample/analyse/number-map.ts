/**
 * A map from numbers up to 2^53 to small ones: Map would make an object of each large number that it is asked for,
 * and this one is asked once for each sample.
 */
const EMPTY = -1;
const TWO_TO_32 = 0x1_0000_0000;

export class NumberMap {
  #keys = new Float64Array(1024);
  #values = new Int32Array(1024).fill(EMPTY);
  #count = 0;

  /** -1 if it is not there. */
  find(key: number): number {
    const mask = this.#values.length - 1;
    for (let slot = slotOf(key) & mask; ; slot = (slot + 1) & mask) {
      const value = this.#values[slot]!;
      if (value === EMPTY || this.#keys[slot] === key) return value;
    }
  }

  /** One that is not there yet. */
  add(key: number, value: number): void {
    if (2 * ++this.#count > this.#values.length) this.#grow();
    this.#put(key, value);
  }

  #put(key: number, value: number): void {
    const mask = this.#values.length - 1;
    let slot = slotOf(key) & mask;
    while (this.#values[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#keys[slot] = key;
    this.#values[slot] = value;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Int32Array(2 * keys.length).fill(EMPTY);
    for (let from = 0; from < keys.length; from++) {
      if (values[from] !== EMPTY) this.#put(keys[from]!, values[from]!);
    }
  }
}

function slotOf(key: number): number {
  const mixed = Math.imul((key % TWO_TO_32) ^ (key / TWO_TO_32), 0x9e37_79b1);
  return mixed ^ (mixed >>> 15);
}
