/**
 * The part of a memory's life in which threads really contend for it. As long as only one thread has touched it, it
 * may be filling it in; once only one is left, it may be cleaning up; and whoever got it from another and gave it
 * to a third had it for himself. None of that needs a lock that both sides know.
 *
 *   A A A B A B B A A C C C       between the first of another thread (B) and the last of one (A before C),
 *         └─────────┘             A and B are contested: each came between the other's
 *   A A B B C C                   handed on from one to the next: nothing is
 */

/** Of fewer accesses no two are between others. */
export const FEWEST_CONTESTED = 4;

export interface ContestedPart {
  /** Places in the list of accesses, the second behind the part. */
  readonly start: number;
  readonly end: number;
  /** How often another thread than the one before came. */
  readonly changes: number;
  /** Whether each of two threads came between accesses of the other, or around them. */
  overlap(one: number, other: number): boolean;
}

/** `threads`: who made each access, in the order of their times. undefined if there is no such part. */
export function contestedPart(
  count: number,
  threadOf: (access: number) => number,
): ContestedPart | undefined {
  if (count < FEWEST_CONTESTED) return undefined;
  const [opener, closer] = [threadOf(0), threadOf(count - 1)];
  let [start, last] = [1, count - 2];
  while (start < count && threadOf(start) === opener) start++;
  while (last >= 0 && threadOf(last) === closer) last--;
  if (start >= last) return undefined;
  const [first, final] = [new Map<number, number>(), new Map<number, number>()];
  let changes = 0;
  for (let at = 0; at < count; at++) {
    const thread = threadOf(at);
    if (!first.has(thread)) first.set(thread, at);
    final.set(thread, at);
    if (at > 0 && thread !== threadOf(at - 1)) changes++;
  }
  // ABBA: what is left between the ends is all of one thread.
  if (changes < 3) return undefined;
  const overlap = (one: number, other: number): boolean =>
    first.get(one)! < final.get(other)! && first.get(other)! < final.get(one)!;
  return { start, end: last + 1, changes, overlap };
}
