/**
 * What does an event know once it has heard of another? Its clock becomes the join of both clocks,
 * plus the other event itself. But a join looks at each slot in which the two differ, and very
 * often one side already knows all that the other does. Then its clock is the answer:
 *
 *   server   ── accept ── read₂ ── read₃ ── … ── read₉₉₉ ─────── read₁
 *                ╲                                              ╱
 *   worker₁       first ────────────────────────────────── write
 *
 * At read₁ the clocks differ in 998 slots. But all that has reached worker₁ since the server last
 * heard of it is `accept`, and the server knows that: nothing to join. So we walk back over the
 * edges into a task, until one that is not known (then we join) or until all are. The walk gives
 * up after as many steps as there are slots, which is what the join costs at worst.
 *
 * Limits: tasks that really tell each other news from everywhere are not helped; they join.
 */
import type { Clock } from './clock-nodes.ts';
import type { HappensBeforeGraph } from './graph.ts';
import type { EventId, Slot } from './ids.ts';

/** Someone who knows all earlier events in its slot, if it has one yet, and those in its clock. */
interface Knower {
  readonly slot: Slot | undefined;
  readonly clock: Clock;
  /** Its last event, if any; may know less than `clock`. */
  readonly last: EventId | undefined;
}

/** The clock of `knower` once it has heard of `cause`. */
export function learn(graph: HappensBeforeGraph, knower: Knower, cause: EventId): Clock {
  if (knows(graph, knower, cause)) return knower.clock;
  const joined = joinClocks(graph, knower, cause);
  return graph.clocks.with(joined, graph.slotOf(cause), graph.positionOf(cause) + 1);
}

function joinClocks(graph: HappensBeforeGraph, knower: Knower, cause: EventId): Clock {
  const { clock, last } = knower;
  if (knowsAllKnownTo(graph, knower, cause)) return clock;
  const teacher = { slot: graph.slotOf(cause), clock: graph.clockOf(cause), last: cause };
  const isUpToDate = last !== undefined && graph.clockOf(last) === clock;
  if (isUpToDate && knowsAllKnownTo(graph, teacher, last)) return teacher.clock;
  return graph.clocks.join(clock, teacher.clock);
}

function knows(graph: HappensBeforeGraph, knower: Knower, event: EventId): boolean {
  const slot = graph.slotOf(event);
  return slot === knower.slot || graph.clocks.countOf(knower.clock, slot) > graph.positionOf(event);
}

/** True if `knower` knows whatever happens before `event`; false if not, or if hard to say. */
function knowsAllKnownTo(graph: HappensBeforeGraph, knower: Knower, event: EventId): boolean {
  const known = graph.clocks.countOf(knower.clock, graph.slotOf(event));
  let stepsLeft = graph.width;
  let listener = graph.lastListener(event);
  while (listener !== undefined && graph.positionOf(listener) >= known) {
    for (const source of graph.edgesInto(listener)) {
      if (stepsLeft-- === 0 || !knows(graph, knower, source)) return false;
    }
    listener = graph.previousListener(listener);
  }
  return true;
}
