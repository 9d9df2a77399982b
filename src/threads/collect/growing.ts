/** Lists of numbers that grow, a typed array each: there may be millions of entries. */

const FIRST_CAPACITY = 64;

type Numbers = Float64Array | Uint32Array | Uint8Array;

abstract class Growing<Items extends Numbers> {
  items: Items;
  length = 0;

  constructor(items: Items) {
    this.items = items;
  }

  push(value: number): void {
    if (this.length === this.items.length) this.#grow();
    this.items[this.length++] = value;
  }

  protected abstract larger(capacity: number): Items;

  #grow(): void {
    const larger = this.larger(2 * this.items.length);
    larger.set(this.items);
    this.items = larger;
  }
}

export class GrowingFloats extends Growing<Float64Array> {
  constructor() {
    super(new Float64Array(FIRST_CAPACITY));
  }

  protected larger(capacity: number): Float64Array {
    return new Float64Array(capacity);
  }
}

export class GrowingWords extends Growing<Uint32Array> {
  constructor() {
    super(new Uint32Array(FIRST_CAPACITY));
  }

  protected larger(capacity: number): Uint32Array {
    return new Uint32Array(capacity);
  }
}

export class GrowingBytes extends Growing<Uint8Array> {
  constructor() {
    super(new Uint8Array(FIRST_CAPACITY));
  }

  protected larger(capacity: number): Uint8Array {
    return new Uint8Array(capacity);
  }
}

/** The first place in the sorted items, up to `length`, whose value is greater; `length` if none is. */
export function firstAbove(items: Float64Array, length: number, value: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
