/**
 * Where can a recorded execution be stopped? A cut splits each task's events into those inside,
 * which have happened, and the rest. It is consistent if whatever happens before an event inside
 * is inside too: no wait without its exit, no read without its write. Only then can a replay reach
 * it. To swap two racing events (RacePro, section 6.1), replay up to the cut just before both,
 * then run them in the other order.
 *
 *   shell   fork₀ ─┬─ fork₁ ─┬─ mkdir         cutBefore(read, exec): fork₀ and fork₁ are inside,
 *   ps             read ─ …  │                none of the children's events, and mkdir is not:
 *   grep                     exec ─ …         neither of the two needs it
 *
 * It comes from the clocks: the latest that any of the given events knows, slot by slot. A cut is
 * made of slots, not of tasks: in a slot, tasks follow one another (`chains.ts`).
 *
 * Limits: a cut is an array as wide as the graph; one per race is fine, one per event is not.
 * `isConsistent` reads one whole clock per slot: for checks, since cuts made here are consistent.
 */
import { assert } from '../base/assert.ts';
import type { HappensBeforeGraph } from './graph.ts';
import type { EventId, Slot } from './ids.ts';

export interface Cut {
  /** How many events of each slot are inside. */
  readonly counts: Int32Array;
}

/**
 * The least consistent cut that has all that happens before `events` inside, and `events` outside.
 * There is none, so undefined, if one of them happens before another: it would have to be inside
 * for the other's sake. Such events have a fixed order and are no race.
 */
export function cutBefore(graph: HappensBeforeGraph, events: readonly EventId[]): Cut | undefined {
  const cut = { counts: new Int32Array(graph.width) };
  for (const event of events) include(graph, cut, event, graph.positionOf(event));
  return events.some((event) => contains(graph, cut, event)) ? undefined : cut;
}

/** The least consistent cut with `events`, and thus all that happens before them, inside. */
export function cutIncluding(graph: HappensBeforeGraph, events: readonly EventId[]): Cut {
  const cut = { counts: new Int32Array(graph.width) };
  for (const event of events) include(graph, cut, event, graph.positionOf(event) + 1);
  return cut;
}

/** What is inside either of them; consistent if both are. */
export function merged(a: Cut, b: Cut): Cut {
  return { counts: a.counts.map((count, slot) => Math.max(count, b.counts[slot]!)) };
}

export function contains(graph: HappensBeforeGraph, cut: Cut, event: EventId): boolean {
  return graph.positionOf(event) < cut.counts[graph.slotOf(event)]!;
}

/** Whether all that happens before an event inside is inside: the last one of each slot decides. */
export function isConsistent(graph: HappensBeforeGraph, cut: Cut): boolean {
  let consistent = true;
  for (const last of lastInside(graph, cut)) {
    graph.clocks.forEach(graph.clockOf(last), (slot, count) => {
      if (cut.counts[slot]! < count) consistent = false;
    });
  }
  return consistent;
}

/** The last event inside of each task that has any, in recorded order. */
export function frontier(graph: HappensBeforeGraph, cut: Cut): EventId[] {
  const events: EventId[] = [];
  for (const last of lastInside(graph, cut)) {
    for (let event: EventId | undefined = last; event !== undefined; ) {
      events.push(event);
      const first: EventId = graph.firstEventOf(graph.taskOf(event))!;
      event = graph.eventAt(graph.slotOf(first), graph.positionOf(first) - 1);
    }
  }
  return events.sort((a, b) => a - b);
}

/** Takes in what `event` knows of other slots, and the first `ownCount` events of its own. */
function include(graph: HappensBeforeGraph, cut: Cut, event: EventId, ownCount: number): void {
  const raise = (slot: Slot, count: number) => {
    cut.counts[slot] = Math.max(cut.counts[slot]!, count);
  };
  graph.clocks.forEach(graph.clockOf(event), raise);
  raise(graph.slotOf(event), ownCount);
}

/** The last event inside of each slot that has any. */
function* lastInside(graph: HappensBeforeGraph, cut: Cut): Generator<EventId, void> {
  for (const [slot, count] of cut.counts.entries()) {
    if (count === 0) continue;
    const event = graph.eventAt(slot as Slot, count - 1);
    assert(event !== undefined, `the cut has ${count} events in slot ${slot}, the graph has fewer`);
    yield event;
  }
}
