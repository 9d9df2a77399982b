/**
 * All who have given something so far, for takers who come after every one of them because nobody
 * knows whose they got. A taker that comes again hears only of those who are new to it:
 *
 *   14 gives, 15 gives, 16 takes      after 14's and 15's
 *   15 gives, 16 takes                after 15's second one; the others it already comes after
 *
 * For a first taker, one gift per slot of the clocks is enough: the earlier ones come before it.
 */
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, Slot, TaskId } from '../../../order/ids.ts';

export class Givers {
  readonly #graph: HappensBeforeGraph;
  readonly #latest = new Map<Slot, EventId>();
  readonly #events: EventId[] = [];
  /** How many of the events each taker comes after already. */
  readonly #known = new Map<TaskId, number>();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  add(event: EventId): void {
    this.#latest.set(this.#graph.slotOf(event), event);
    this.#events.push(event);
  }

  get last(): EventId | undefined {
    return this.#events.at(-1);
  }

  /** Those that the taker does not come after yet; from now on it does. */
  newTo(taker: TaskId): EventId[] {
    const known = this.#known.get(taker);
    this.#known.set(taker, this.#events.length);
    return known === undefined ? [...this.#latest.values()] : this.#events.slice(known);
  }
}

/** The same, for many things at once. */
export class GiversByKey {
  readonly #graph: HappensBeforeGraph;
  readonly #givers = new Map<string, Givers>();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  add(key: string, event: EventId): void {
    let givers = this.#givers.get(key);
    if (!givers) {
      givers = new Givers(this.#graph);
      this.#givers.set(key, givers);
    }
    givers.add(event);
  }

  newTo(taker: TaskId, key: string): EventId[] {
    return this.#givers.get(key)?.newTo(taker) ?? [];
  }

  /** Another thing has this key from now on. */
  forget(key: string): void {
    this.#givers.delete(key);
  }
}
