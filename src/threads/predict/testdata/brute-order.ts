/** What happened before what, as all paths through a graph of direct edges. */
import type { Event } from './events.ts';

export type Edge = (events: readonly Event[], i: number, j: number) => boolean;

/** `before[j]` has all events before event j. */
export function orderBy(events: readonly Event[], edges: readonly Edge[]): Set<number>[] {
  const before: Set<number>[] = [];
  for (const j of events.keys()) {
    const own = new Set<number>();
    for (let i = 0; i < j; i++) {
      if (!edges.some((edge) => edge(events, i, j))) continue;
      own.add(i);
      for (const earlier of before[i]!) own.add(earlier);
    }
    before.push(own);
  }
  return before;
}
