/** Many programs that keep to their locks, many times: they do the same with their sections isolated. */
import { expect, it } from 'vitest';
import { CORRECT_PROGRAMS, compareRuns, LARGE_PROGRAMS } from '../harness/correct-programs.ts';
import { expectSameResults } from '../harness/random-lock-runs.ts';
import { scratchFolder } from '../harness/scratch.ts';
import { expectUntoldRuns } from '../harness/untold-runs.ts';

const SEEDS = 600;
const RUNS = 200;

it(`${SEEDS} programs that take locks at random`, () => {
  for (let seed = 1000; seed < 1000 + SEEDS; seed++) expectSameResults(seed, scratchFolder(), 5);
});

it.each([...CORRECT_PROGRAMS])(`%s, ${RUNS} times`, (_, make) => {
  const { same, other } = compareRuns(make, scratchFolder(), RUNS);
  expect({ same, other }).toEqual({ same: RUNS, other: undefined });
});

/** For the others, `npm test` does this. */
const large = [...CORRECT_PROGRAMS].filter(([name]) => LARGE_PROGRAMS.has(name));

it.each(large)('%s, of which no race is told', (_, make) => expectUntoldRuns(make));
