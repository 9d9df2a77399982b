/** Loops that are told as a whole tell the same as if each iteration were. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clonedRun, compiledForClones } from './harness/cloned-run.ts';
import { ARENA_SIZE, randomLoops } from './harness/random-loops.ts';
import { expectSameAccesses, loopsIn } from './harness/same-accesses.ts';
import { scratchFolder } from './harness/scratch.ts';

const hasAvx2 = / avx2 /.test(readFileSync('/proc/cpuinfo', 'utf8'));

describe('loops of all shapes', () => {
  it.each([['-O0', 6], ...['-O1', '-O2', '-O2 -no-pie', '-O3', '-Os'].map((flags) => [flags, 20])])(
    'compiled with %s touch the same',
    (flags, fewest) => {
      const program = compiledForClones('loops.c', ...String(flags).split(' '));
      const { loops, accesses } = expectSameAccesses(program);
      expect(loops).toBeGreaterThanOrEqual(Number(fewest));
      expect(accesses).toBeGreaterThan(10_000);
    },
  );

  it.skipIf(!hasAvx2)('compiled for vectors of 32 bytes touch the same', () => {
    expectSameAccesses(compiledForClones('loops.c', '-O3', '-mavx2'));
  });
});

const LOOPS = 100;

describe('random loops', () => {
  it('touch the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (seed) => {
        const source = join(scratchFolder(), 'random.s');
        writeFileSync(source, randomLoops(seed, LOOPS));
        const program = compiledForClones('call-loops.c', source, '-O2');
        const { loops } = expectSameAccesses(program, String(ARENA_SIZE));
        expect(loops).toBeGreaterThan(LOOPS / 4);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});

describe('a loop that is interrupted in its middle', () => {
  const ELEMENTS = 1024;
  const interrupted = (way: string) => {
    const program = compiledForClones('interrupted-loop.c', '-O2');
    const run = clonedRun(program, 'logging', way);
    expect(loopsIn(run.blob.groups)).toBeGreaterThan(0);
    const start = Number(/^arena (0x\w+)/m.exec(run.stdout)?.[1]);
    // Which elements were touched in each epoch, as the log has it.
    const epochs = new Map<number, Set<number>>();
    for (const { epoch, address } of run.accesses('2')) {
      const element = (address - start) / 8;
      if (element < 0 || element >= 2 * ELEMENTS) continue;
      epochs.set(epoch, (epochs.get(epoch) ?? new Set()).add(element));
    }
    const inOrder = [...epochs].sort(([one], [other]) => one - other);
    const touched = inOrder.map(([, elements]) => [...elements].sort((a, b) => a - b));
    return { run, touched };
  };
  const all = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

  it('by a handler that has nothing to do with it tells everything', () => {
    const { run, touched } = interrupted('nothing');
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(touched).toEqual([all(0, ELEMENTS), all(ELEMENTS, 10)]);
  });

  it('by a handler that synchronises tells nothing where it does not belong', () => {
    const { run, touched } = interrupted('synchronise');
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(touched).toEqual([[0], all(ELEMENTS, 10)]);
  });

  it('by a handler that goes through the same loop tells of both, as far as it is known', () => {
    const { run, touched } = interrupted('same loop');
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(touched).toEqual([[0, ...all(ELEMENTS, 100)], all(ELEMENTS, 10)]);
  });

  it('by a handler that goes through half of the same loop is not taken for that one', () => {
    const { run, touched } = interrupted('half of the same loop');
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(touched).toEqual([[0, ELEMENTS], all(ELEMENTS, 10)]);
  });

  it('by a handler that jumps out of it tells where it began', () => {
    const { run, touched } = interrupted('jump');
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(touched).toEqual([[0], all(ELEMENTS, 10)]);
  });

  it('by the end of the program tells where it began', () => {
    const ended = interrupted('end');
    expect(ended.run).toMatchObject({ status: 3, stderr: '' });
    expect(ended.touched).toEqual([[0]]);
  });
});
