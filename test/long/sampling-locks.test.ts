/** Many random orders of taking and letting go of locks: samples have those that are held. */
import { it } from 'vitest';
import { sampledProgram } from '../harness/sampling-run.ts';
import { expectTrueLocks } from '../harness/true-locks.ts';

const SEEDS = 500;

it(`${SEEDS} programs that take locks at random`, () => {
  const program = sampledProgram('random-locks.c');
  for (let seed = 1000; seed < 1000 + SEEDS; seed++) expectTrueLocks(program, seed);
});
