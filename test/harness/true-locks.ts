/** Compares the locks of samples with what the program itself says that it holds (test/sampling/random-locks.c). */
import { expect } from 'vitest';
import { SampleFlag } from '../../src/linux/agent-protocol.ts';
import { samplingRun } from './sampling-run.ts';

export function expectTrueLocks(program: string, seed: number): void {
  const run = samplingRun(program, [String(seed)]);
  expect(run.status).toBe(0);
  const held = run.stdout.trim().split('\n').map(locksOfLine);
  const samples = run.samples('1');
  expect(samples).toHaveLength(held.length);
  for (const [index, { flags, locks }] of samples.entries()) {
    const truth = held[index] ?? [];
    const lacksSome = (flags & SampleFlag.DH_SAMPLE_MORE_LOCKS) !== 0;
    expect(flags & SampleFlag.DH_SAMPLE_IN_LOCK).toBe(0);
    expect(lacksSome).toBe(truth.length > locks.length);
    if (lacksSome) expect(isPartOf(locks, truth)).toBe(true);
    else expect([...locks].sort()).toEqual([...truth].sort());
  }
}

const locksOfLine = (line: string): string[] => line.split(' ').slice(0, -1);

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  const left = [...all];
  return some.every((lock) => {
    const at = left.indexOf(lock);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
