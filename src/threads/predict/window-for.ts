/**
 * Which part of a long trace a search for a race may put in another order (docs/prediction.md): it has both
 * accesses, and as much as possible of what comes before them. Windows begin at multiples of half their
 * length, so that many searches begin in the same state, which is then worked out once.
 *
 *   length 10,000, accesses 23,100 and 24,000: [15,000, 25,000)
 */
import type { Window } from '../csp/race-search.ts';

export const WINDOW_LENGTH = 10_000;

/** Undefined if the two are too far apart. All of a trace that is no longer than a window. */
export function windowFor(
  first: number,
  second: number,
  traceLength: number,
  windowLength = WINDOW_LENGTH,
): Window | undefined {
  if (traceLength <= windowLength) return { from: 0, to: traceLength };
  const [low, high] = first < second ? [first, second] : [second, first];
  const half = Math.floor(windowLength / 2);
  const from = Math.max(0, Math.ceil((high + 1 - windowLength) / half) * half);
  return from > low ? undefined : { from, to: Math.min(from + windowLength, traceLength) };
}

export function isWhole({ from, to }: Window, traceLength: number): boolean {
  return from === 0 && to === traceLength;
}
