/** How often critical sections found what was not their own, natively and isolated. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { metOrMissed } from './asked.ts';
import { markdownTable, type TableRow } from './markdown-table.ts';
import { chosen, milliseconds } from './measure.ts';
import { roundsIn } from './sampled-work.ts';
import { compileOwn, printed, tolerating } from './tolerated.ts';

/** Of all programs together. */
const SECTIONS = 100_000_000;
/** Natively, fewer are enough to see it. */
const NATIVE_SECTIONS = 10_000_000;
const PROGRAMS = ['scalar', 'static-array', 'dynamic-array'];

export function stress(folder: string, words: readonly string[]): void {
  const sections = roundsIn(words, Math.ceil(SECTIONS / PROGRAMS.length));
  console.log(markdownTable(chosen(PROGRAMS, words).map((name) => row(folder, name, sections))));
}

function row(folder: string, name: string, sections: number): TableRow {
  const program = compileOwn(`examples/tolerate/${name}/racy.c`, folder);
  const nativeSections = Math.min(sections, NATIVE_SECTIONS);
  const native = tornIn(printed([program, `${nativeSections}`], folder));
  let isolated = 0;
  const ms = milliseconds(() => {
    isolated = tornIn(printed([...tolerating(folder), program, `${sections}`], folder));
  });
  rmSync(join(folder, 'run'), { recursive: true, force: true });
  return {
    program: name,
    'native sections': nativeSections,
    'torn natively': native,
    'isolated sections': sections,
    'torn isolated': isolated,
    minutes: (ms / 60_000).toFixed(1),
    'asked none': metOrMissed(isolated === 0),
  };
}

const tornIn = (output: string): number =>
  Number(/^torn (\d+) of/m.exec(output)?.[1] ?? Number.NaN);
