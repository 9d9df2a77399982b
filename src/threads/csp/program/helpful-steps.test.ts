/** That nothing is lost by leaving steps out is for ../csp.test.ts to say; here, what is left out. */
import { describe, expect, it } from 'vitest';
import { NONE, Op } from '../../model/op.ts';
import { ThreadTrace } from '../../model/trace.ts';
import { RaceModels } from './race-model.ts';
import { TraceSteps } from './trace-steps.ts';

type Line = readonly [thread: number, op: Op, target: number];

/** By thread, what is kept for the race of the last two events. */
function kept(...lines: readonly Line[]): Record<number, string[]> {
  const trace = new ThreadTrace();
  for (const [thread, op, target] of lines) trace.append(thread, op, target, NONE);
  const models = new RaceModels(trace, new TraceSteps(trace));
  const { steps } = models.ofPair(lines.length - 2, lines.length - 1, { sound: false });
  return Object.fromEntries(
    [...steps].map(([thread, own]) => [thread, own.map(({ kind }) => kind)]),
  );
}

const race: readonly Line[] = [
  [1, Op.write, 0],
  [2, Op.write, 0],
];
const section = (thread: number, lock = 0): readonly Line[] => [
  [thread, Op.acquire, lock],
  [thread, Op.release, lock],
];

describe('a thread', () => {
  it('that nobody waits for is left out, though it takes the same lock', () => {
    expect(kept(...section(3), ...section(1), ...section(3), ...race)).toEqual({
      1: ['lock', 'unlock'],
      2: [],
    });
  });

  it('is kept up to what somebody needs of it, and until it holds no lock', () => {
    const lines: readonly Line[] = [
      [3, Op.acquire, 0],
      [3, Op.fork, 1],
      [3, Op.release, 0],
      ...section(3),
      ...race,
    ];
    expect(kept(...lines)).toEqual({ 1: ['begin'], 2: [], 3: ['lock', 'fork', 'unlock'] });
  });

  it('is kept if it held a lock at first that somebody wants', () => {
    const lines: readonly Line[] = [[3, Op.release, 0], ...section(3, 1), ...section(1), ...race];
    expect(kept(...lines)).toEqual({ 1: ['lock', 'unlock'], 2: [], 3: ['unlock'] });
  });

  it('is kept if it helps one that helps', () => {
    const lines: readonly Line[] = [
      [4, Op.post, 7],
      [4, Op.post, 8],
      [3, Op.waitDone, 7],
      [3, Op.atomicWrite, 1],
      [1, Op.atomicRead, 1],
      ...race,
    ];
    expect(kept(...lines)).toEqual({ 1: ['load'], 2: [], 3: ['waitDone', 'store'], 4: ['post'] });
  });
});
