import { describe, expect, it } from 'vitest';
import { contestedPart } from './analyse/races/contested-part.ts';
import { chanceOfBothSides, chanceOfCatching, drawsNeeded, oddsSoFar } from './odds.ts';

const EXPERIMENTS = 4000;

/** The same numbers every time. */
function randomNumbers(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Shares {
  readonly bothSides: number;
  readonly caught: number;
}

/** Samples a program again and again: each draw is one side of the race, the other, or something else. */
function simulated(draws: number, one: number, other: number): Shares {
  const random = randomNumbers();
  let [bothSides, caught] = [0, 0];
  for (let experiment = 0; experiment < EXPERIMENTS; experiment++) {
    const seen: number[] = [];
    for (let draw = 0; draw < draws; draw++) {
      const number = random();
      if (number < one) seen.push(1);
      else if (number < one + other) seen.push(2);
    }
    if (seen.includes(1) && seen.includes(2)) bothSides++;
    if (contestedPart(seen.length, (at) => seen[at]!)) caught++;
  }
  return { bothSides: bothSides / EXPERIMENTS, caught: caught / EXPERIMENTS };
}

describe('the odds of catching a race', () => {
  it.each([
    [100, 0.01, 0.01],
    [300, 0.01, 0.01],
    [300, 0.02, 0.005],
    [500, 0.03, 0.004],
    [800, 0.004, 0.004],
  ])('are what sampling %i accesses shows, with sides of %f and %f', (draws, one, other) => {
    const shares = simulated(draws, one, other);
    // Three times what chance makes of so many experiments.
    const slack = 3 * Math.sqrt(0.25 / EXPERIMENTS);
    expect(Math.abs(chanceOfBothSides(draws, one, other) - shares.bothSides)).toBeLessThan(slack);
    expect(Math.abs(chanceOfCatching(draws, one, other) - shares.caught)).toBeLessThan(
      slack + 0.01,
    );
  });

  it("are the paper's for its example", () => {
    expect(chanceOfBothSides(5000, 0.0001, 0.0001)).toBeCloseTo(0.155, 3);
  });

  it('grow from nothing to certainty', () => {
    expect(chanceOfCatching(0, 0.1, 0.1)).toBe(0);
    expect(chanceOfBothSides(0, 0.1, 0.1)).toBe(0);
    expect(chanceOfCatching(1e9, 0.1, 0.1)).toBeCloseTo(1, 6);
    const draws = drawsNeeded(1e-5, 0.95);
    expect(chanceOfCatching(draws, 1e-5, 1e-5)).toBeCloseTo(0.95, 3);
    expect(chanceOfCatching(draws / 2, 1e-5, 1e-5)).toBeLessThan(0.95);
  });

  it('tell how long to go on', () => {
    const [frequent, , , rare] = oddsSoFar(100_000, 100);
    expect(frequent).toMatchObject({ oneIn: 1000, caught: 1, secondsToGo: 0 });
    expect(rare!.caught).toBeLessThan(0.01);
    expect(rare!.secondsToGo).toBe(rare!.secondsNeeded - 100);
    expect(oddsSoFar(0, 0)[0]).toMatchObject({ caught: 0, secondsNeeded: 0 });
  });
});
