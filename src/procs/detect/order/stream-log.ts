/**
 * The bytes of one stream: who put them in, and so whom a read comes after. Both ends count bytes:
 *
 *   14: write 10     bytes 0…9
 *   15: write 10     bytes 10…19
 *   16: read 15      bytes 0…14: after the writes of 14 and 15
 *
 * Two writes that overlap in time may have come in either order; a read that got bytes of one of
 * them counts as after both. Where bytes cannot be counted (messages that are cut to the reader's
 * buffer, data from outside the recording), a read comes after all writes so far. Both may hide a
 * race, but never invent one.
 */
import { firstIndex } from '../../../base/bisect.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';

interface Segment {
  from: number;
  to: number;
  event: EventId;
  entry: number;
  exit: number;
}

/** Enough to look back at writes that overlapped those that are being read. */
const KEPT_BEHIND = 64;
const TRIM_AT = 4096;

export class StreamLog {
  readonly #segments: Segment[] = [];
  /** One write per task is enough for the careful: its earlier ones come before it anyway. */
  readonly #latest = new Map<TaskId, EventId>();
  #written = 0;
  #read = 0;
  #counts: boolean;

  constructor(countsBytes: boolean) {
    this.#counts = countsBytes;
  }

  write(bytes: number, segment: Pick<Segment, 'event' | 'entry' | 'exit'>, task: TaskId): void {
    this.#latest.set(task, segment.event);
    if (!this.#counts || bytes <= 0) return;
    this.#segments.push({ from: this.#written, to: this.#written + bytes, ...segment });
    this.#written += bytes;
  }

  /** From now on nobody knows which bytes are read. */
  stopCounting(): void {
    this.#counts = false;
    this.#segments.length = 0;
  }

  /** The writes that a read of so many bytes comes after, the first of them being the oldest. */
  take(bytes: number): EventId[] {
    if (!this.#counts) return [...this.#latest.values()];
    const from = this.#read;
    this.#read += bytes;
    if (this.#read > this.#written) {
      this.#read = this.#written;
      return [...this.#latest.values()];
    }
    const events = this.#eventsIn(from, this.#read);
    this.#trim();
    return events;
  }

  /** The writes that somebody comes after who only saw that there is something to read. */
  peek(): EventId[] {
    if (!this.#counts) return [...this.#latest.values()];
    return this.#read < this.#written ? this.#eventsIn(this.#read, this.#read + 1) : [];
  }

  #eventsIn(from: number, to: number): EventId[] {
    const segments = this.#segments;
    let first = firstIndex(segments, (segment) => segment.to > from);
    let end = firstIndex(segments, (segment) => segment.from >= to, first);
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
