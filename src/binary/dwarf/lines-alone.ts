/** Lines of a file that has .debug_line but no .debug_info to say which table an address belongs to. */
import { DisjointRanges } from './disjoint-ranges.ts';
import { type LineTable, readAllLineTables, type SourceLine } from './line-table.ts';
import type { Problems } from './problems.ts';
import type { DebugSections } from './sections.ts';

export class LinesAlone {
  readonly #byAddress: DisjointRanges<LineTable>;

  constructor(sections: DebugSections, problems: Problems) {
    const tables = readAllLineTables(sections, ({ message }) => problems.add(message));
    this.#byAddress = new DisjointRanges(
      tables.flatMap((value) => value.ranges.map(({ low, high }) => ({ low, high, value }))),
    );
  }

  find(address: number): SourceLine | undefined {
    return this.#byAddress.find(address)?.find(address);
  }
}
