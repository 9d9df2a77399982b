/** Loops that are told as a whole tell the same as if each iteration were. */
import { describe, expect, it } from 'vitest';
import { compiledForClones } from './harness/cloned-run.ts';
import { expectSameAccesses } from './harness/same-accesses.ts';

describe('loops of all shapes', () => {
  it.each([
    ['-O0', 6],
    ['-O1', 20],
    ['-O2', 20],
    ['-O2 -no-pie', 20],
    ['-O3', 20],
    ['-O3 -mavx2', 20],
    ['-Os', 20],
  ])('compiled with %s touch the same', (flags, fewest) => {
    const program = compiledForClones('loops.c', ...flags.split(' '));
    const { loops, accesses } = expectSameAccesses(program);
    expect(loops).toBeGreaterThanOrEqual(fewest);
    expect(accesses).toBeGreaterThan(10_000);
  });
});
