/**
 * How likely it is that a race would have been caught by now, and how long to go on (the paper's section 4.1). A
 * race has two sides, each of which makes up a share of all accesses; every access that sampling shows is one of
 * them with that probability.
 *
 *   one access in a million on either side, 400,000 accesses seen:  11 % that both sides were seen
 *
 * To see both sides once is not enough to tell a race from something handed over: it takes each side to come
 * between two of the other (races/contested-part.ts), that is at least four turns. `chanceOfCatching` counts that
 * in, for a race between two threads; with more of them it is likelier.
 */

/** That each side was seen at least once, as in the paper: draws with putting back. */
export function chanceOfBothSides(draws: number, one: number, other: number): number {
  const never = (share: number): number => Math.exp(draws * Math.log1p(-Math.min(1, share)));
  return Math.max(0, 1 - never(one) - never(other) + never(one + other));
}

/** More turns than so many of either side are as good as certain to be mixed. */
const MOST_TURNS = 60;

/** That turns of both sides, seen in some order, are at least four: ABAB, but neither AABB nor ABBA. */
export function chanceOfCatching(draws: number, one: number, other: number): number {
  const [mine, theirs] = [poisson(draws * one), poisson(draws * other)];
  let chance = 0;
  for (let a = 1; a <= MOST_TURNS; a++) {
    for (let b = 1; b <= MOST_TURNS; b++) {
      chance += mine[a]! * theirs[b]! * chanceOfFourTurns(a, b);
    }
  }
  const isMany = (tail: readonly number[]): number => 1 - tail.reduce((sum, p) => sum + p, 0);
  const [manyMine, manyTheirs] = [isMany(mine), isMany(theirs)];
  // With so many of one side, what counts is that the other came between them, twice.
  const twice = (few: readonly number[], many: number): number =>
    many * few.reduce((sum, p, count) => sum + (count >= 2 ? p : 0), 0);
  return Math.min(
    1,
    chance + twice(theirs, manyMine) + twice(mine, manyTheirs) + manyMine * manyTheirs,
  );
}

/** Of all orders of a turns of one side and b of the other, the share with at least four changing turns. */
function chanceOfFourTurns(a: number, b: number): number {
  // Two turns: 2 orders. Three: the one side is parted in a-1 or b-1 ways.
  return Math.max(0, 1 - (a + b) / orders(a, b));
}

function orders(a: number, b: number): number {
  let count = 1;
  for (let i = 1; i <= Math.min(a, b); i++) count *= (a + b - Math.min(a, b) + i) / i;
  return count;
}

/** Probabilities of 0, 1, 2, … up to MOST_TURNS. */
function poisson(mean: number): number[] {
  const chances = [Math.exp(-mean)];
  for (let count = 1; count <= MOST_TURNS; count++) {
    chances.push((chances[count - 1]! * mean) / count);
  }
  return chances;
}

/** So many draws that a race of this frequency on both sides is caught with that probability. */
export function drawsNeeded(share: number, chance: number): number {
  let [low, high] = [0, 1 / share];
  while (chanceOfCatching(high, share, share) < chance) high *= 2;
  for (let i = 0; i < 60 && high - low > high * 1e-6; i++) {
    const middle = (low + high) / 2;
    if (chanceOfCatching(middle, share, share) < chance) low = middle;
    else high = middle;
  }
  return Math.ceil(high);
}

export interface Odds {
  /** Each side makes up one in so many of all accesses. */
  readonly oneIn: number;
  readonly bothSidesSeen: number;
  readonly caught: number;
  /** Of processor time, at the rate so far, to have been likely to be caught (95 %): in all, and from now on. */
  readonly secondsNeeded: number;
  readonly secondsToGo: number;
}

const ONE_IN = [1000, 10_000, 100_000, 1_000_000];
const WANTED = 0.95;

/** `accesses`: that sampling has shown; `processorSeconds`: in which it did. */
export function oddsSoFar(accesses: number, processorSeconds: number): Odds[] {
  const perSecond = processorSeconds > 0 ? accesses / processorSeconds : 0;
  return ONE_IN.map((oneIn) => {
    const needed = perSecond > 0 ? drawsNeeded(1 / oneIn, WANTED) / perSecond : 0;
    return {
      oneIn,
      bothSidesSeen: rounded(chanceOfBothSides(accesses, 1 / oneIn, 1 / oneIn)),
      caught: rounded(chanceOfCatching(accesses, 1 / oneIn, 1 / oneIn)),
      secondsNeeded: Math.ceil(needed),
      secondsToGo: Math.max(0, Math.ceil(needed - processorSeconds)),
    };
  });
}

const rounded = (number: number): number => Math.round(number * 1000) / 1000;
