/**
 * How far apart two concurrent events are in the happens-before graph: how many steps each of the
 * two processes has made, up to its event, that the other knew nothing of. Two calls right after the
 * fork that parted their processes are close, and more likely to change places than two at the ends
 * of long separate lives.
 *
 *   sh    fork ── a ── b ── write          distance(write, read) = 3 + 2
 *           ╲
 *   cat      read ── read
 */
import type { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId } from '../../order/ids.ts';

export function distance(graph: HappensBeforeGraph, a: EventId, b: EventId): number {
  return unknownTo(graph, a, b) + unknownTo(graph, b, a);
}

function unknownTo(graph: HappensBeforeGraph, event: EventId, other: EventId): number {
  const known = graph.clocks.countOf(graph.clockOf(other), graph.slotOf(event));
  return graph.positionOf(event) + 1 - known;
}
