/**
 * The bytes of one stream: who put them in, and so whom a read comes after. Both ends count bytes:
 *
 *   14: write 10     bytes 0…9
 *   15: write 10     bytes 10…19
 *   16: read 15      bytes 0…14: after the writes of 14 and 15
 *
 * Two writes that overlap in time may have come in either order; a read that got bytes of one of
 * them counts as after both. Where bytes cannot be counted (messages that are cut to the reader's
 * buffer, a pipe that may have had bytes in it before the recording began), a read comes after all
 * writes so far. Both may hide a race, but never invent one.
 */
import { firstIndex } from '../../../base/bisect.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';
import { Givers } from './givers.ts';

interface Segment {
  from: number;
  to: number;
  event: EventId;
  entry: number;
  /** When the last of this and all earlier writes ended. */
  exit: number;
}

/** Enough to look back at writes that overlapped those that are being read. */
const KEPT_BEHIND = 64;
const TRIM_AT = 4096;

export class StreamLog {
  readonly #segments: Segment[] = [];
  readonly #writers: Givers;
  #written = 0;
  #read = 0;
  #counts: boolean;

  constructor(graph: HappensBeforeGraph, countsBytes: boolean) {
    this.#writers = new Givers(graph);
    this.#counts = countsBytes;
  }

  write(bytes: number, segment: Pick<Segment, 'event' | 'entry' | 'exit'>): void {
    this.#writers.add(segment.event);
    if (!this.#counts || bytes <= 0) return;
    const exit = Math.max(segment.exit, this.#segments.at(-1)?.exit ?? 0);
    this.#segments.push({ ...segment, exit, from: this.#written, to: this.#written + bytes });
    this.#written += bytes;
  }

  get lastWrite(): EventId | undefined {
    return this.#writers.last;
  }

  get countsBytes(): boolean {
    return this.#counts;
  }

  /** From now on nobody knows which bytes are read. */
  stopCounting(): void {
    this.#counts = false;
    this.#segments.length = 0;
  }

  /** The writes that a read of so many bytes comes after, the first of them being the oldest. */
  take(bytes: number, reader: TaskId): EventId[] {
    const from = this.#read;
    if (this.#counts && from + bytes > this.#written) this.stopCounting();
    if (!this.#counts) return this.#writers.newTo(reader);
    this.#read += bytes;
    const events = this.#eventsIn(from, this.#read);
    this.#trim();
    return events;
  }

  /** The same, for one who left the bytes where they were, or was only told of them. */
  peek(bytes: number, reader: TaskId): EventId[] {
    if (!this.#counts) return this.#writers.newTo(reader);
    const to = Math.min(this.#read + bytes, this.#written);
    return this.#read < to ? this.#eventsIn(this.#read, to) : [];
  }

  #eventsIn(from: number, to: number): EventId[] {
    const segments = this.#segments;
    let first = firstIndex(segments, (segment) => segment.to > from);
    let end = firstIndex(segments, (segment) => segment.from >= to, first);
    if (first === end) return [];
    while (first > 0 && segments[first - 1]!.exit > segments[first]!.entry) first--;
    while (end < segments.length && segments[end]!.entry < segments[end - 1]!.exit) end++;
    return segments.slice(first, end).map(({ event }) => event);
  }

  #trim(): void {
    if (this.#segments.length < TRIM_AT) return;
    const unread = firstIndex(this.#segments, ({ to }) => to > this.#read);
    if (unread > TRIM_AT / 2) this.#segments.splice(0, unread - KEPT_BEHIND);
  }
}
