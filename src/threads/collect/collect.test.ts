import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collected } from './testdata/collected.ts';
import { RandomProgram, type Step, THREADS } from './testdata/random-program.ts';
import { expectTrueTrace } from './testdata/true-trace.ts';

const steps = (action: fc.Arbitrary<number>): fc.Arbitrary<Step[]> => {
  const nat = fc.nat(100);
  const step = fc.record({ thread: fc.nat(THREADS - 1), action, where: nat, how: nat });
  return fc.array(step, { maxLength: 100, size: 'max' });
};

function expectTrue(taken: readonly Step[]): void {
  const program = new RandomProgram(taken);
  const { trace, problems } = collected(program.logs);
  expect(problems).toEqual([]);
  expectTrueTrace(program, trace);
}

describe('collecting a trace', () => {
  it('keeps the order, what is shared, and nothing else, of random programs', () => {
    fc.assert(fc.property(steps(fc.nat(12)), expectTrue), { numRuns: 150 });
  });

  it('tells blocks apart that lie in the same place one after the other', () => {
    const actions = fc.constantFrom(5, 6, 7, 8, 7, 8, 12);
    fc.assert(fc.property(steps(actions), expectTrue), { numRuns: 150 });
  });
});
