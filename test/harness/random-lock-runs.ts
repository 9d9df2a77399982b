/** Programs of random-lock-program.ts, natively and isolated. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { IsolatedProgram } from './isolated-program.ts';
import { randomLockProgram } from './random-lock-program.ts';

/** In turn: what compilers make of the same source is not alike. */
const WAYS: readonly (readonly string[])[] = [
  ['-O2'],
  ['-O0'],
  ['-O3', '-march=native'],
  ['-O1', '-no-pie', '-fno-pic'],
  ['-Os', '-fno-plt'],
  ['-O2', '-D_FORTIFY_SOURCE=2', '-fcf-protection=none'],
];

export function expectSameResults(seed: number, folder: string, runs: number): void {
  const [source, binary] = [join(folder, `${seed}.c`), join(folder, `random-${seed}`)];
  writeFileSync(source, randomLockProgram(seed));
  const flags = WAYS[seed % WAYS.length]!;
  execFileSync('cc', [...flags, '-g', '-w', '-pthread', source, '-o', binary]);
  const expected = execFileSync(binary, { encoding: 'latin1' });
  const program = new IsolatedProgram(binary, folder);
  expect(program.isolated).toBeGreaterThan(0);
  for (let run = 0; run < runs; run++) {
    const { stdout, stderr, status, signal, events, prepared } = program.run([]);
    const seen = { seed, flags, stdout, stderr, status, signal, events, prepared };
    const same = { stdout: expected, stderr: '', status: 0, signal: null, events: [], prepared: 1 };
    expect(seen).toEqual({ seed, flags, ...same });
  }
}
