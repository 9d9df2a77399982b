/**
 * Puts records into the order of their sequence numbers. Two CPUs may take numbers 7 and 8 and then
 * write 8 into the ring first; each event therefore has a number of its own, without gaps, and a
 * record waits until all before it are there:
 *
 *   from the ring:  event 4, event 6, event 5, event 7     to the trace:  4, 5, 6, 7
 *
 * An event that was dropped leaves a gap that nothing will fill; `giveUp` goes on without it.
 */
import type { TraceRecord } from '../../../trace/records/record.ts';
import { SEQUENCE_BITS } from './layout.ts';

/** Event numbers start again at 0 after this many; far more than a ring can hold. */
export const EVENT_NUMBERS = 2 ** (64 - Number(SEQUENCE_BITS));

export class EventOrder {
  readonly #append: (record: TraceRecord) => void;
  /** Records of events that came too early, by event number. */
  readonly #early = new Map<number, readonly TraceRecord[]>();
  #next = 0;

  constructor(append: (record: TraceRecord) => void) {
    this.#append = append;
  }

  add(event: number, records: readonly TraceRecord[]): void {
    if (event !== this.#next) {
      this.#early.set(event, records);
      return;
    }
    this.#pass(records);
    if (this.#early.size > 0) this.#passFollowing();
  }

  /** Takes this event as passed on, if it is the next and nobody waits for it; or else does nothing. */
  skip(event: number): boolean {
    if (event !== this.#next || this.#early.size > 0) return false;
    this.#next = (event + 1) % EVENT_NUMBERS;
    return true;
  }

  /** Whether some record waits for one before it. */
  get isWaiting(): boolean {
    return this.#early.size > 0;
  }

  /** Passes on whatever is there, oldest first. */
  giveUp(): void {
    const distanceOf = (event: number): number =>
      (event - this.#next + EVENT_NUMBERS) % EVENT_NUMBERS;
    const waiting = [...this.#early]
      .map(([event, records]) => ({ event, records, distance: distanceOf(event) }))
      .sort((one, other) => one.distance - other.distance);
    this.#early.clear();
    for (const { event, records } of waiting) {
      this.#next = event;
      this.#pass(records);
    }
  }

  #passFollowing(): void {
    for (;;) {
      const event = this.#next;
      const records = this.#early.get(event);
      if (!records) return;
      this.#early.delete(event);
      this.#pass(records);
    }
  }

  #pass(records: readonly TraceRecord[]): void {
    this.#next = (this.#next + 1) % EVENT_NUMBERS;
    for (const record of records) this.#append(record);
  }
}
