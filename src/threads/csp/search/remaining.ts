/** How many synchronisation events are left at least until the race, by what each thread has to do for it. */
import { Machine, type Row } from './machine.ts';

export class Remaining {
  /** By thread and position. */
  readonly #left: readonly Int32Array[];

  /** `needed`: how many of its steps each thread must have done (needed-steps.ts). */
  constructor(machine: Machine, needed: Int32Array) {
    this.#left = machine.chains.map(({ steps }, chain) => {
      const left = new Int32Array(steps.length + 1);
      for (let at = needed[chain]! - 1; at >= 0; at--) {
        left[at] = left[at + 1]! + Machine.costOf(steps[at]!);
      }
      return left;
    });
  }

  of(row: Row): number {
    let sum = 0;
    for (let chain = 0; chain < this.#left.length; chain++) sum += this.#left[chain]![row[chain]!]!;
    return sum;
  }
}
