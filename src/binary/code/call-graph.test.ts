import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseElf } from '../elf/elf-file.ts';
import { readImports } from '../elf/imports.ts';
import { compiled } from '../testdata/compiled.ts';
import { readEhFrame } from '../unwind/eh-frame.ts';
import { callGraph } from './call-graph.ts';
import { findFunctions } from './functions.ts';

/** With names instead of addresses. */
function graphOf(path: string): Record<string, { calls: string[]; computed: number }> {
  const elf = parseElf(readFileSync(path));
  const found = findFunctions(elf, readEhFrame(elf).fdes);
  const functions = found.flatMap(({ code }) => (code.ok ? [code.value] : []));
  const nameOf = new Map(functions.map(({ start, name }) => [start, name]));
  const graph = callGraph(functions, readImports(elf));
  return Object.fromEntries(
    [...graph].map(([start, { functions: own, imports, computed }]) => [
      nameOf.get(start)!,
      {
        calls: [...own]
          .map((one) => nameOf.get(one)!)
          .concat(...imports)
          .sort(),
        computed,
      },
    ]),
  );
}

describe('the call graph', () => {
  it.each([['-O2'], ['-O1', '-no-pie'], ['-O2', '-fno-plt']])(
    'has calls, tail calls and imports (%s)',
    (...options) => {
      const graph = graphOf(compiled('callers.c', ...options));
      expect(graph.main).toEqual({ calls: ['by_pointer', 'printf', 'tail'], computed: 0 });
      expect(graph.tail).toEqual({ calls: ['leaf'], computed: 0 });
      expect(graph.by_pointer).toEqual({ calls: [], computed: 1 });
      expect(graph.leaf).toEqual({ calls: [], computed: 0 });
    },
  );
});
