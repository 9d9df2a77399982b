/**
 * Where each function of an image begins and ends: by its symbol, if that has a size, or else by its unwind entry.
 *
 *   0x1149…0x1187 main              a symbol, of the file or of its debug file
 *   0x1190…0x11f3 0x1190            stripped: only the unwind tables know of it
 */
import { firstIndex } from '../base/bisect.ts';
import { tryTo } from '../base/result.ts';
import { codeAreas } from '../binary/code/functions.ts';
import type { ElfFile } from '../binary/elf/elf-file.ts';
import { functionIndex } from '../binary/elf/symbol-index.ts';
import type { Fde } from '../binary/unwind/eh-frame.ts';

export interface ImageFunction {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** `withDebug`: the file that has the debug information, or the image itself. */
export function imageFunctions(
  elf: ElfFile,
  withDebug: ElfFile,
  fdes: readonly Fde[],
): ImageFunction[] {
  const isCode = codeAreas(elf);
  const files = withDebug === elf ? [elf] : [withDebug, elf];
  const found: ImageFunction[] = [];
  const addAll = (more: readonly ImageFunction[]): void => {
    const before = found.length;
    for (const one of more) {
      if (one.end <= one.start || !isCode(one.start)) continue;
      if (!overlapsAny(found, before, one)) found.push(one);
    }
    found.sort((a, b) => a.start - b.start);
    dropOverlapping(found);
  };
  for (const file of files) addAll(symbolsOf(file));
  addAll(fdes.map(({ start, end }) => ({ name: `0x${start.toString(16)}`, start, end })));
  return found;
}

function symbolsOf(file: ElfFile): ImageFunction[] {
  const symbols = tryTo(() => [...functionIndex(file)]);
  if (!symbols.ok) return [];
  return symbols.value.map(({ name, start, size }) => ({ name, start, end: start + size }));
}

/** With one of the first `count`, which are in order. */
function overlapsAny(known: readonly ImageFunction[], count: number, one: ImageFunction): boolean {
  const next = firstIndex(known, ({ start }) => start >= one.end, 0, count);
  const last = known[next - 1];
  return last !== undefined && last.end > one.start;
}

/** A symbol inside of another one is a second name for a part of it. */
function dropOverlapping(functions: ImageFunction[]): void {
  let end = 0;
  const kept = functions.filter((one) => {
    if (one.start < end) return false;
    end = one.end;
    return true;
  });
  functions.splice(0, functions.length, ...kept);
}
