/** The lines of one unit: from an address to the line that its instruction was made of. */

import type { ByteReader } from '../byte-reader.ts';
import { BadBinary } from '../byte-reader.ts';
import type { AddressRange } from './addresses.ts';
import { DisjointRanges, lastAtOrBelow } from './disjoint-ranges.ts';
import { type LineHeader, readLineHeader } from './line-header.ts';
import { runLineProgram } from './line-program.ts';
import type { LineRows, Sequence } from './line-rows.ts';
import { sectionReader } from './section-reader.ts';
import type { DebugSections } from './sections.ts';
import type { SourceFiles } from './source-files.ts';

export interface SourceLine {
  /** Undefined if the tables do not say. */
  readonly file: string | undefined;
  /** From 1; 0 for instructions that belong to no line. */
  readonly line: number;
  /** From 1; 0 if unknown. */
  readonly column: number;
}

export class LineTable {
  readonly files: SourceFiles;
  readonly #rows: LineRows;
  readonly #sequences: DisjointRanges<Sequence>;

  constructor(files: SourceFiles, rows: LineRows) {
    this.files = files;
    this.#rows = rows;
    this.#sequences = new DisjointRanges(rows.sequences);
  }

  /** What it covers. */
  get ranges(): readonly AddressRange[] {
    return this.#rows.sequences;
  }

  find(address: number): SourceLine | undefined {
    const sequence = this.#sequences.find(address);
    if (!sequence) return undefined;
    const { addresses, files, lines, columns } = this.#rows;
    const row = lastAtOrBelow(addresses, address, sequence.from, sequence.to);
    return { file: this.files.path(files[row]!), line: lines[row]!, column: columns[row]! };
  }
}

/** The table at this place of .debug_line. */
export function readLineTable(
  sections: DebugSections,
  at: number,
  compilationFolder: string | undefined,
): LineTable {
  const reader = sectionReader(sections, 'debugLine', at);
  if (!reader) throw new BadBinary('.debug_info without .debug_line');
  return tableOf(sections, readLineHeader(sections, reader, compilationFolder));
}

/** All tables of .debug_line, for a file that has nothing else. */
export function readAllLineTables(
  sections: DebugSections,
  onDamage: (damage: BadBinary) => void,
): LineTable[] {
  const tables: LineTable[] = [];
  const reader: ByteReader | undefined = sectionReader(sections, 'debugLine');
  try {
    while (reader && reader.left > 0) {
      const header = readLineHeader(sections, reader, undefined);
      tables.push(tableOf(sections, header));
      reader.at = header.end;
    }
  } catch (thrown) {
    if (!(thrown instanceof BadBinary)) throw thrown;
    onDamage(thrown);
  }
  return tables;
}

const tableOf = (sections: DebugSections, header: LineHeader): LineTable =>
  new LineTable(
    header.files,
    runLineProgram(header, sectionReader(sections, 'debugLine', header.at, header.end)!),
  );
