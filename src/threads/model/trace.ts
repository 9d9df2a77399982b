/** What a thread trace is to those who make one and those who read one, in memory or in a file. */
import { EVENTS_PER_CHUNK, EventColumns } from './event-columns.ts';
import { TraceTables } from './tables.ts';

/** Rows are added to the tables first; events then name them by number. */
export interface ThreadTraceBuilder {
  readonly tables: TraceTables;
  append(thread: number, op: number, target: number, site: number): void;
}

export interface ThreadTraceSource {
  /** While a file is read, they hold what the chunks so far need, and at its end everything. */
  readonly tables: TraceTables;
  /** How many events there are, if that is known before they were read. */
  readonly length?: number;
  /** All events in their order, from the beginning. A chunk is valid until the next one is asked for. */
  chunks(): Iterable<EventColumns>;
}

/** A whole trace in memory; any event can be looked at by its number. */
export class ThreadTrace implements ThreadTraceBuilder, ThreadTraceSource {
  readonly tables: TraceTables;
  /** All but the last are full. */
  readonly #chunks: EventColumns[] = [];

  constructor(tables = new TraceTables()) {
    this.tables = tables;
  }

  get length(): number {
    const last = this.#chunks.at(-1);
    return last ? (this.#chunks.length - 1) * EVENTS_PER_CHUNK + last.count : 0;
  }

  append(thread: number, op: number, target: number, site: number): void {
    this.#roomy().append(thread, op, target, site);
  }

  /** Appends copies of all its events. */
  appendAll(events: EventColumns): void {
    for (let from = 0; from < events.count; ) from += this.#roomy().appendFrom(events, from);
  }

  chunks(): readonly EventColumns[] {
    return this.#chunks;
  }

  threadAt(event: number): number {
    return this.#chunkOf(event).threads[event % EVENTS_PER_CHUNK]!;
  }

  opAt(event: number): number {
    return this.#chunkOf(event).ops[event % EVENTS_PER_CHUNK]!;
  }

  targetAt(event: number): number {
    return this.#chunkOf(event).targets[event % EVENTS_PER_CHUNK]!;
  }

  siteAt(event: number): number {
    return this.#chunkOf(event).sites[event % EVENTS_PER_CHUNK]!;
  }

  #roomy(): EventColumns {
    const last = this.#chunks.at(-1);
    if (last !== undefined && !last.isFull) return last;
    const fresh = new EventColumns();
    this.#chunks.push(fresh);
    return fresh;
  }

  #chunkOf(event: number): EventColumns {
    return this.#chunks[Math.floor(event / EVENTS_PER_CHUNK)]!;
  }
}
