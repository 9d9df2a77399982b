/**
 * After how long an attempt is said to hang: many times as long as the recorded order takes. That is measured
 * once, before all others:
 *
 *   recorded order 0.7 s   limit 7 s
 *   a branch not over after 7 s; the recorded order once more: 2.1 s   limit 21 s, and the branch again
 *   a branch not over after 7 s; the recorded order once more: 0.6 s   it hangs
 */

const SHORTEST_MS = 5000;
/** So many times as long as the recorded order took under the same conditions. */
const FACTOR = 10;
/** A program that does not end takes all the time that it is given: so many times as long as it was recorded. */
const ENDLESS_FACTOR = 2;

/** As long as nobody knows how long it takes. */
export const FIRST_LIMIT_MS = 600_000;

/** By how long the recorded order takes. */
export const limitFor = (milliseconds: number): number =>
  Math.max(SHORTEST_MS, FACTOR * milliseconds);

export const endlessLimitFor = (recordedMs: number): number =>
  Math.max(SHORTEST_MS, ENDLESS_FACTOR * recordedMs);

/** If two share the processors that one had for itself, each may take twice as long. */
export const limitForTwo = (limitMs: number): number => 2 * limitMs;
