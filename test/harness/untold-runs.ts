/** A program that keeps to its locks, isolated: it prints what it prints natively, and no race is told of. */
import { expect } from 'vitest';
import { type CorrectCommand, compareRuns } from './correct-programs.ts';
import { scratchFolder } from './scratch.ts';

const RUNS = 5;

export function expectUntoldRuns(make: (folder: string) => CorrectCommand): void {
  const { program, same, other, told } = compareRuns(make, scratchFolder(), RUNS);
  expect({ same, other, told }).toEqual({ same: RUNS, other: undefined, told: 0 });
  expect(program.isolated).toBeGreaterThan(0);
}
