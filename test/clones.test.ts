/** Clones, run by the agent, do what their originals do. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clonedRun, compiledForClones } from './harness/cloned-run.ts';
import { randomFunctions } from './harness/random-functions.ts';
import { scratchFolder } from './harness/scratch.ts';

const FUNCTIONS = 60;
/** Enough for the buffer to be full many times. */
const ROUNDS = 40;

describe('random functions', () => {
  it.each([
    ['that can be moved', []],
    ['that cannot', ['-no-pie', '-fno-pie']],
  ])('in programs %s end with the same registers and memory', (_, flags) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (seed) => {
        const source = join(scratchFolder(), 'random.s');
        writeFileSync(source, randomFunctions(seed, FUNCTIONS));
        const program = compiledForClones('call-all.c', source, ...flags);
        const native = clonedRun(program, 'native', String(ROUNDS));
        expect(native.status).toBe(0);
        for (const mode of ['null', 'logging'] as const) {
          const cloned = clonedRun(program, mode, String(ROUNDS));
          expect(cloned.skipped).toEqual([]);
          expect(cloned).toMatchObject({ status: 0, signal: null, stderr: '' });
          expect(firstDifference(cloned.stdout, native.stdout)).toBeUndefined();
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });
});

describe('odd functions', () => {
  const assembly = new URL('./clones/odd-functions.s', import.meta.url).pathname;

  it.each([['-O1'], ['-O2'], ['-Os'], ['-O2 -no-pie']])('compiled with %s do the same', (flags) => {
    const program = compiledForClones('odd-functions.c', assembly, '-w', ...flags.split(' '));
    const native = clonedRun(program, 'native');
    expect(native).toMatchObject({ status: 0, stderr: '' });
    expect(native.stdout).toContain('interpreted 342, 5, 5');
    expect(native.stdout).toContain('next 1');
    for (const mode of ['null', 'logging'] as const) {
      const { stdout, stderr, status, signal, skipped } = clonedRun(program, mode);
      expect({ stdout, stderr, status, signal }).toEqual({
        ...{ stdout: native.stdout, stderr: '', status: 0, signal: null },
      });
      expect(skipped.map(({ name, reason }) => `${name}: ${reason.replace(/0x\w+/, '…')}`)).toEqual(
        [
          'where: a call at … asks where it is',
          'short_address: an address of less than 64 bits at … cannot be moved',
        ],
      );
    }
  });
});

/** A round and a function tell more than a thousand lines. */
function firstDifference(one: string, other: string): string | undefined {
  const others = other.split('\n');
  return one.split('\n').find((line, place) => line !== others[place]);
}
