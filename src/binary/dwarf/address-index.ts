/**
 * Which unit an address belongs to: by what the first entry of each unit says it covers. Units that say
 * nothing (assembled by hand, old compilers) are asked for their line tables, but only once an address is
 * in none of the others.
 */
import type { AddressRange } from './addresses.ts';
import type { CompilationUnit } from './compilation-unit.ts';
import { DisjointRanges, type RangeOf } from './disjoint-ranges.ts';
import type { Problems } from './problems.ts';
import { rangesOf } from './ranges.ts';

export class AddressIndex {
  readonly #known: RangeOf<CompilationUnit>[] = [];
  #unknown: CompilationUnit[] = [];
  #byAddress: DisjointRanges<CompilationUnit>;

  constructor(units: readonly CompilationUnit[], problems: Problems) {
    for (const unit of units) {
      const ranges = problems.guard(() => rangesOf(unit.unit.root)) ?? [];
      if (ranges.length === 0) this.#unknown.push(unit);
      else this.#add(unit, ranges);
    }
    this.#byAddress = new DisjointRanges(this.#known);
  }

  find(address: number): CompilationUnit | undefined {
    const unit = this.#byAddress.find(address);
    if (unit || this.#unknown.length === 0) return unit;
    for (const unknown of this.#unknown) this.#add(unknown, unknown.lines?.ranges ?? []);
    this.#unknown = [];
    this.#byAddress = new DisjointRanges(this.#known);
    return this.#byAddress.find(address);
  }

  #add(value: CompilationUnit, ranges: readonly AddressRange[]): void {
    for (const { low, high } of ranges) this.#known.push({ low, high, value });
  }
}
