/**
 * Explains to a human why one event happens before another: a shortest chain of events from one to
 * the other, in which each comes after the one before it by program order or by an edge.
 *
 *   shell   open ── … ── fork ── … ── wait        path(open, stat) = open, fork, exec, stat
 *                          ╲                      "open, then (same task) fork, which started
 *   child                   exec ── … ── stat      exec, then (same task) stat"
 *
 * Program order counts as one step however many events lie between, so a path is about as long as
 * the number of tasks it passes through.
 *
 * Limits: visits each edge between the two, in the worst case. It is for the few pairs that are
 * shown to somebody; to decide whether there is a path, ask `graph.happensBefore`.
 */
import type { HappensBeforeGraph } from './graph.ts';
import type { EventId, TaskId } from './ids.ts';

/** The chain from `from` to `to`, both included; undefined unless `from` happens before `to`. */
export function path(graph: HappensBeforeGraph, from: EventId, to: EventId): EventId[] | undefined {
  if (!graph.happensBefore(from, to)) return undefined;
  const next = stepsTowards(graph, from, to);
  const events = [from];
  for (let event = next.get(from); event !== undefined; event = next.get(event)) events.push(event);
  return events;
}

/** For each event between the two, breadth-first from the end: the next one on a shortest way. */
function stepsTowards(
  graph: HappensBeforeGraph,
  from: EventId,
  to: EventId,
): Map<EventId, EventId | undefined> {
  const next = new Map<EventId, EventId | undefined>([[to, undefined]]);
  const queue = [to];
  const reach = (event: EventId, successor: EventId) => {
    if (next.has(event)) return;
    next.set(event, successor);
    queue.push(event);
  };
  const isBetween = (event: EventId) => event === from || graph.happensBefore(from, event);
  /** For each task the last event whose predecessors that matter, listeners, have been reached. */
  const expanded = new Map<TaskId, EventId>();

  for (const event of queue) {
    if (event === from) break;
    for (const source of graph.edgesInto(event)) if (isBetween(source)) reach(source, event);

    const task = graph.taskOf(event);
    const done = expanded.get(task) ?? -1;
    if (event <= done) continue;
    expanded.set(task, event);
    if (task === graph.taskOf(from)) reach(from, event);
    let earlier = graph.previousListener(event);
    while (earlier !== undefined && earlier > done && isBetween(earlier)) {
      reach(earlier, event);
      earlier = graph.previousListener(earlier);
    }
  }
  return next;
}
