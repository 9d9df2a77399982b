/** The sampling agent inside real programs: what its samples and logs say of what programs really do. */
import { describe, expect, it } from 'vitest';
import { SampleFlag } from '../src/linux/agent-protocol.ts';
import { sampledProgram, samplingRun } from './harness/sampling-run.ts';

describe('the locks of a sample', () => {
  it('are those that the thread holds, whatever kinds it takes and in which order', () => {
    const program = sampledProgram('random-locks.c');
    for (let seed = 1; seed <= 10; seed++) {
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
        expect(truth.length > 32 && !lacksSome).toBe(false);
        if (lacksSome) expect(isPartOf(locks, truth)).toBe(true);
        else expect([...locks].sort()).toEqual([...truth].sort());
      }
    }
  });
});

const locksOfLine = (line: string): string[] => line.split(' ').slice(0, -1);

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  const left = [...all];
  return some.every((lock) => {
    const at = left.indexOf(lock);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}
