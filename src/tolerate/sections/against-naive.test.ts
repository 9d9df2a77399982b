/** Sections as the analysis finds them, against an interpreter that goes through all states with whole stacks. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ElfFile, parseElf } from '../../binary/elf/elf-file.ts';
import { variableIndex } from '../../binary/elf/symbol-index.ts';
import { imageAddress } from '../../binary/image-address.ts';
import { scratchFolder } from '../../binary/testdata/compiled.ts';
import { namesOf } from '../../debugger/image-names.ts';
import { naiveSections, PRELUDE, smallProgram, written } from '../testdata/small-programs.ts';
import { findSections } from './find-sections.ts';
import type { SectionPlan } from './section-plan.ts';

const PROGRAMS = process.env.DEADHEAT_LONG_TESTS ? 2000 : 150;

interface Found {
  readonly plans: readonly SectionPlan[];
  readonly lineOf: (address: number) => number;
  readonly touchedBy: (plan: SectionPlan) => string[];
}

function analysed(lines: readonly string[], option: string): Found {
  const folder = scratchFolder();
  const [source, output] = [join(folder, 'small.c'), join(folder, 'small')];
  writeFileSync(source, `${lines.join('\n')}\n`);
  execFileSync('gcc', ['-g', option, '-fno-inline', source, '-o', output], { stdio: 'pipe' });
  const elf = parseElf(readFileSync(output));
  const names = namesOf(output, elf);
  return {
    plans: findSections(elf),
    lineOf: (address) => names.placeAt(imageAddress(address)).line,
    touchedBy: variablesOf(elf),
  };
}

/** Those that the section's instructions are redirected from. */
function variablesOf(elf: ElfFile): (plan: SectionPlan) => string[] {
  const variables = variableIndex(elf);
  return ({ parts }) => {
    const names = new Set<string>();
    for (const { code, actions } of parts) {
      for (const [address, action] of actions) {
        if (action.kind !== 'redirect') continue;
        const { relativeOperand } = code.instructions[code.places.get(address)!]!;
        const name = variables.find(imageAddress(relativeOperand))?.name ?? '?';
        if (name !== 'c') names.add(name);
      }
    }
    return [...names].sort();
  };
}

it.each(['-O0', '-Og'])('finds what is inside, and how sections end (%s)', (option) => {
  const programs = fc.sample(smallProgram, { numRuns: PROGRAMS, seed: 7 });
  const lines = [...PRELUDE];
  const all = programs.map((program, number) => {
    const one = written(program, `p${number}_`, lines.length + 1);
    lines.push(...one.lines);
    return one;
  });
  lines.push('int main(void) { return 0; }');
  const { plans, lineOf, touchedBy } = analysed(lines, option);
  const byLine = new Map(plans.map((plan) => [lineOf(plan.entry.address), plan]));
  let compared = 0;
  for (const { line, ends, leaves, touched, nests, overlaps } of all.flatMap(naiveSections)) {
    // One that is never let go of is somebody else's: that of a caller, or nobody's.
    if (!ends) continue;
    const plan = byLine.get(line);
    expect([line, plan?.verdict]).toEqual([line, { isolate: true }]);
    expect({
      ...{ line, touched: touchedBy(plan!), leaves: plan!.facts.leaves },
      ...{ nests: plan!.facts.nests, overlaps: plan!.facts.overlaps },
    }).toEqual({ line, touched, leaves, nests, overlaps });
    compared++;
  }
  expect(compared).toBeGreaterThan(PROGRAMS / 2);
});
