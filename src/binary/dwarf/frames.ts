/** Where an address is in the source: the innermost function first, then who called it, as far as it was inlined. */
import type { CompilationUnit } from './compilation-unit.ts';
import type { Entry } from './entry.ts';
import type { EntryNames } from './entry-names.ts';
import type { SourceLine } from './line-table.ts';
import { Attribute } from './numbers.ts';
import type { SourceFiles } from './source-files.ts';

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
  if (scopes.length === 0) return line ? [frame(undefined, line)] : [];
  const frames: SourceFrame[] = [];
  let place = line ?? NOWHERE;
  for (let i = scopes.length - 1; i >= 0; i--) {
    const { name, calledAt } = scopes[i]!.describedBy((entry) => ({
      name: names.nameOf(entry),
      calledAt: callSite(entry, lines?.files),
    }));
    frames.push(frame(name, place));
    place = calledAt;
  }
  return frames;
}

const frame = (name: string | undefined, { file, line, column }: SourceLine): SourceFrame => ({
  function: name,
  file,
  line,
  column,
});

function callSite(entry: Entry, files: SourceFiles | undefined): SourceLine {
  const file = entry.number(Attribute.callFile);
  return {
    file: file === undefined ? undefined : files?.path(file),
    line: entry.number(Attribute.callLine) ?? 0,
    column: entry.number(Attribute.callColumn) ?? 0,
  };
}
