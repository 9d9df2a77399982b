/** What isolation must never do: to change what a program does that keeps to its locks. */
import { describe, expect, it } from 'vitest';
import { CORRECT_PROGRAMS, compareRuns } from './harness/correct-programs.ts';
import { expectSameResults } from './harness/random-lock-runs.ts';
import { scratchFolder } from './harness/scratch.ts';

const RUNS = 5;

describe('a program that keeps to its locks', () => {
  it.each([...CORRECT_PROGRAMS])('prints the same with its sections isolated: %s', (_, make) => {
    const { program, same, other, told } = compareRuns(make, scratchFolder(), RUNS);
    expect({ same, other, told }).toEqual({ same: RUNS, other: undefined, told: 0 });
    expect(program.isolated).toBeGreaterThan(0);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => [seed]))('and so does program %i', (seed) => {
    expectSameResults(seed, scratchFolder(), 3);
  });
});
