/**
 * Which event of a recorded execution happened before which, for certain? A task (a process or a
 * thread) does its events in program order; between tasks there are edges: a fork to the child's
 * first event, an exit to the wait that saw it, a write to the read that got the bytes. Events
 * without a path between them, either way, are concurrent: another run may swap them.
 *
 *   const shell = graph.startTask(undefined);
 *   const fork = graph.add(shell, []);               shell   fork ─────── mkdir ─── wait
 *   const child = graph.startTask(fork);                       ╲                   ╱
 *   const write = graph.add(child, []);              child      write ────────────╱
 *   graph.endTask(child);
 *   const mkdir = graph.add(shell, []);
 *   const wait = graph.add(shell, [write]);
 *
 *   graph.happensBefore(fork, write)   true, by the edge from fork to the child's first event
 *   graph.concurrent(write, mkdir)     true: a race, if they touch the same thing
 *   graph.happensBefore(write, wait)   true, by the edge given with `wait`
 *
 * Each event has a clock: how many events of each *other* slot happened before it. Its own slot is
 * not asked for, since there its position says it all (an old entry may linger, nobody reads it).
 * An event that learns nothing new has the same clock as the one before it, at no cost.
 *
 * Limits: events come in an order compatible with the edges, so that an event's causes exist when
 * it is added; edges cannot be added or taken away later. Where very many tasks talk to random
 * others all the time, clocks differ in most slots, and memory grows with events times tasks.
 */
import { assert } from '../base/assert.ts';
import { Chains } from './chains.ts';
import { Clocks } from './clock.ts';
import { type Clock, emptyClock } from './clock-nodes.ts';
import type { EventId, Slot, TaskId } from './ids.ts';
import { Int32List } from './int32-list.ts';
import { learn } from './learn.ts';

/** In a list of events: no event. */
const none = -1;

interface Task {
  readonly startedAfter: EventId | undefined;
  /** Chosen at the first event, which knows the most; a task without events needs none. */
  slot: Slot | undefined;
  first: EventId | undefined;
  last: EventId | undefined;
  ended: boolean;
}

export class HappensBeforeGraph {
  readonly clocks = new Clocks();
  readonly #chains = new Chains(this.clocks);
  readonly #tasks: Task[] = [];
  readonly #taskOf = new Int32List();
  readonly #positionOf = new Int32List();
  readonly #clockOf = new Int32List();
  readonly #lastListener = new Int32List();
  /** The edges into event e are those from `#edgesUntil[e - 1]` to `#edgesUntil[e]`. */
  readonly #edges = new Int32List();
  readonly #edgesUntil = new Int32List();

  get eventCount(): number {
    return this.#taskOf.length;
  }

  get taskCount(): number {
    return this.#tasks.length;
  }

  /** How many slots the tasks share. */
  get width(): number {
    return this.#chains.width;
  }

  /** `after` is what started the task, such as the parent's fork; its first event is after that. */
  startTask(after: EventId | undefined): TaskId {
    if (after !== undefined) this.#assertExists(after);
    this.#tasks.push({
      startedAfter: after,
      slot: undefined,
      first: undefined,
      last: undefined,
      ended: false,
    });
    return (this.taskCount - 1) as TaskId;
  }

  /** From now on the task has no more events, and another may continue in its slot. */
  endTask(id: TaskId): void {
    const task = this.#task(id);
    assert(!task.ended, 'a task ends once');
    task.ended = true;
    if (task.slot !== undefined) this.#chains.close(task.slot);
  }

  /** The task's next event, which happens after its last one and after each of `after`. */
  add(id: TaskId, after: readonly EventId[]): EventId {
    const task = this.#task(id);
    assert(!task.ended, 'a task has no events after its end');
    const event = this.eventCount as EventId;
    let clock = task.last === undefined ? emptyClock : this.clockOf(task.last);
    const start = task.first === undefined ? task.startedAfter : undefined;
    const causes = start === undefined ? after : [start, ...after];
    for (const cause of causes) {
      this.#assertExists(cause);
      clock = learn(this, { slot: task.slot, clock, last: task.last }, cause);
      this.#edges.push(cause);
    }
    const previousListener = task.last === undefined ? none : this.#lastListener.at(task.last);
    this.#lastListener.push(causes.length > 0 ? event : previousListener);
    task.slot ??= this.#chains.open(clock);
    task.first ??= event;
    task.last = event;
    this.#taskOf.push(id);
    this.#positionOf.push(this.#chains.append(task.slot, event));
    this.#clockOf.push(clock);
    this.#edgesUntil.push(this.#edges.length);
    return event;
  }

  happensBefore(a: EventId, b: EventId): boolean {
    if (a >= b) return false;
    const slot = this.slotOf(a);
    if (slot === this.slotOf(b)) return true;
    return this.clocks.countOf(this.clockOf(b), slot) > this.positionOf(a);
  }

  /** Neither is before the other. An event is not concurrent with itself. */
  concurrent(a: EventId, b: EventId): boolean {
    return a !== b && !this.happensBefore(a, b) && !this.happensBefore(b, a);
  }

  taskOf(event: EventId): TaskId {
    return this.#taskOf.at(event) as TaskId;
  }

  slotOf(event: EventId): Slot {
    return this.#task(this.taskOf(event)).slot!;
  }

  /** The event's number in its slot, counting the events of earlier tasks there. */
  positionOf(event: EventId): number {
    return this.#positionOf.at(event);
  }

  eventAt(slot: Slot, position: number): EventId | undefined {
    return this.#chains.eventAt(slot, position);
  }

  firstEventOf(task: TaskId): EventId | undefined {
    return this.#task(task).first;
  }

  /** The event before this one in program order. */
  previousInTask(event: EventId): EventId | undefined {
    if (event === this.#task(this.taskOf(event)).first) return undefined;
    return this.eventAt(this.slotOf(event), this.positionOf(event) - 1);
  }

  /** All events of a task, in program order. */
  *eventsOf(id: TaskId): Generator<EventId, void> {
    const { slot, first, last } = this.#task(id);
    if (slot === undefined || first === undefined || last === undefined) return;
    const end = this.positionOf(last);
    for (let position = this.positionOf(first); position <= end; position++) {
      yield this.eventAt(slot, position)!;
    }
  }

  /** Where the edges into an event come from; program order is not among them, the start is. */
  edgesInto(event: EventId): EventId[] {
    const sources: EventId[] = [];
    const end = this.#edgesUntil.at(event);
    for (let edge = event === 0 ? 0 : this.#edgesUntil.at(event - 1); edge < end; edge++) {
      sources.push(this.#edges.at(edge) as EventId);
    }
    return sources;
  }

  /** The last event of the task, up to this one, that edges lead into. */
  lastListener(event: EventId): EventId | undefined {
    const listener = this.#lastListener.at(event);
    return listener === none ? undefined : (listener as EventId);
  }

  /** The last event of the task, before this one, that edges lead into. */
  previousListener(event: EventId): EventId | undefined {
    const previous = this.previousInTask(event);
    return previous === undefined ? undefined : this.lastListener(previous);
  }

  /** What happened before an event in other slots. An entry for its own slot is out of date. */
  clockOf(event: EventId): Clock {
    return this.#clockOf.at(event) as Clock;
  }

  #task(id: TaskId): Task {
    const task = this.#tasks[id];
    assert(task, 'no such task');
    return task;
  }

  #assertExists(event: EventId): void {
    assert(event >= 0 && event < this.eventCount, 'no such event');
  }
}
