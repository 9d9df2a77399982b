/** Columns of numbers that grow: an array of objects would be ten times as large. */

const FIRST_LENGTH = 1024;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array | Int32Array;

export class Growing<Column extends Numbers> {
  /** Longer than `length`, mostly. */
  values: Column;
  length = 0;
  readonly #make: (length: number) => Column;

  constructor(make: (length: number) => Column) {
    this.#make = make;
    this.values = make(FIRST_LENGTH);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.#grow();
    this.values[this.length++] = value;
  }

  at(index: number): number {
    return this.values[index] as number;
  }

  #grow(): void {
    const larger = this.#make(Math.ceil(this.values.length * 1.6));
    larger.set(this.values);
    this.values = larger;
  }
}

export const growingFloats = (): Growing<Float64Array> => new Growing((n) => new Float64Array(n));
export const growingWords = (): Growing<Uint32Array> => new Growing((n) => new Uint32Array(n));
export const growingShorts = (): Growing<Uint16Array> => new Growing((n) => new Uint16Array(n));
export const growingBytes = (): Growing<Uint8Array> => new Growing((n) => new Uint8Array(n));
