/**
 * What isolation must never do: to change what a program does that keeps to its locks. Large programs are in
 * test/long/.
 */
import { describe, it } from 'vitest';
import { CORRECT_PROGRAMS, LARGE_PROGRAMS } from './harness/correct-programs.ts';
import { expectSameResults } from './harness/random-lock-runs.ts';
import { scratchFolder } from './harness/scratch.ts';
import { expectUntoldRuns } from './harness/untold-runs.ts';

const small = [...CORRECT_PROGRAMS].filter(([name]) => !LARGE_PROGRAMS.has(name));

describe('a program that keeps to its locks', () => {
  it.each(small)('prints the same with its sections isolated: %s', (_, make) => {
    expectUntoldRuns(make);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => [seed]))('and so does program %i', (seed) => {
    expectSameResults(seed, scratchFolder(), 3);
  });
});
