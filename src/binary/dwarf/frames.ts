/** Where an address is in the source: the innermost function first, then who called it, as far as it was inlined. */
import type { CompilationUnit } from './compilation-unit.ts';
import type { EntryNames } from './entry-names.ts';
import type { SourceLine } from './line-table.ts';
import { Attribute } from './numbers.ts';

export interface SourceFrame {
  /** `jobs::Queue::push`; undefined if the file does not say. */
  readonly function: string | undefined;
  /** Undefined if the tables do not say. */
  readonly file: string | undefined;
  /** From 1; 0 if unknown, or for instructions that belong to no line. */
  readonly line: number;
  readonly column: number;
}

const NOWHERE: SourceLine = { file: undefined, line: 0, column: 0 };

/** Empty if nothing at all is known. */
export function framesIn(unit: CompilationUnit, names: EntryNames, address: number): SourceFrame[] {
  const { lines } = unit;
  const line = lines?.find(address);
  const scopes = unit.functions?.scopesAt(address) ?? [];
  if (scopes.length === 0) return line ? [{ function: undefined, ...line }] : [];
  let place = line ?? NOWHERE;
  return scopes.toReversed().map(({ entry }) => {
    const frame = { function: names.nameOf(entry), ...place };
    const file = entry.number(Attribute.callFile);
    place = {
      file: file === undefined ? undefined : lines?.files.path(file),
      line: entry.number(Attribute.callLine) ?? 0,
      column: entry.number(Attribute.callColumn) ?? 0,
    };
    return frame;
  });
}
