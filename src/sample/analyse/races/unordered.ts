/**
 * Whether two classes of accesses have some that nothing orders, and how near to each other such ones came. Both
 * have their segments in order, so that for each segment of one those of the other that are neither before nor
 * after it are neighbours, and further on they are further on: one walk over both finds them all.
 */
import type { ThreadOrder } from '../logs/thread-order.ts';
import type { AccessClass } from './access-classes.ts';

export interface Unordered {
  /** Pairs of segments. */
  readonly pairs: number;
  /** In ticks, between the nearest two. */
  readonly nearest: number;
}

export function unordered(
  order: Pick<ThreadOrder, 'comesBefore'>,
  one: AccessClass,
  other: AccessClass,
): Unordered | undefined {
  let [from, to, pairs] = [0, 0, 0];
  let nearest = Number.POSITIVE_INFINITY;
  const theirs = other.segments;
  for (const [at, segment] of one.segments.entries()) {
    while (from < theirs.length && order.comesBefore(theirs[from]!, segment)) from++;
    to = Math.max(to, from);
    while (to < theirs.length && !order.comesBefore(segment, theirs[to]!)) to++;
    if (to === from) continue;
    pairs += to - from;
    // Times go up with the segments: the nearest is around where they cross.
    for (let their = from; their < to; their++) {
      const distance = distanceOf(one, at, other, their);
      if (distance < nearest) nearest = distance;
      if (other.firstTimes[their]! > one.lastTimes[at]!) break;
    }
  }
  return pairs === 0 ? undefined : { pairs, nearest };
}

function distanceOf(one: AccessClass, at: number, other: AccessClass, their: number): number {
  if (one.lastTimes[at]! < other.firstTimes[their]!) {
    return other.firstTimes[their]! - one.lastTimes[at]!;
  }
  if (other.lastTimes[their]! < one.firstTimes[at]!) {
    return one.firstTimes[at]! - other.lastTimes[their]!;
  }
  // Each came between two of the other.
  return 0;
}
