import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { FunctionCode } from '../../../binary/code/function-code.ts';
import { parseElf } from '../../../binary/elf/elf-file.ts';
import { functionIndex, variableIndex } from '../../../binary/elf/symbol-index.ts';
import { isInHomeMadeLock } from './home-made-lock.ts';
import { SampledImage } from './sampled-image.ts';

const SOURCE = fileURLToPath(new URL('../testdata/home-made-locks.c', import.meta.url));

/** `by_calls guarded` for each place where a variable is stored that looks locked, and which variables these are. */
function looksLocked(optimisation: string): { locked: Set<string>; open: Set<string> } {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-locks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'locks.so');
  const options = ['-shared', '-fPIC', '-fvisibility=hidden', optimisation];
  execFileSync('gcc', [...options, '-o', path, SOURCE]);
  const elf = parseElf(readFileSync(path));
  const image = new SampledImage(path, '', elf);
  const codeAt = (start: number): FunctionCode | undefined => image.functionAt(start)?.code;
  const variables = new Map<number, string>(
    [...variableIndex(elf)].map(({ name, start }) => [start, name]),
  );
  const told = { locked: new Set<string>(), open: new Set<string>() };
  for (const { name, start } of functionIndex(elf)) {
    if (!/^(by|in)_/.test(name)) continue;
    const code = codeAt(start)!;
    for (const [place, one] of code.instructions.entries()) {
      const variable = variables.get(one.relativeOperand);
      if (variable !== 'guarded' && variable !== 'open_to_all') continue;
      const to = isInHomeMadeLock(code, place, codeAt) ? told.locked : told.open;
      to.add(`${name} ${variable}`);
    }
  }
  return told;
}

it.each(['-O0', '-O1', '-O2', '-O3'])(
  'locks made of atomics are recognised in code of gcc %s',
  (level) => {
    const { locked, open } = looksLocked(level);
    const guarded = ['by_calls', 'by_calls_and_a_store', 'by_exchange', 'in_a_loop'];
    expect([...locked].sort()).toEqual(guarded.map((name) => `${name} guarded`));
    const others = [...guarded, 'by_nothing', 'by_references_only'].sort();
    expect([...open].sort()).toEqual(others.map((name) => `${name} open_to_all`));
  },
);
