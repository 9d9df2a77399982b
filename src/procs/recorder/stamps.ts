/** When something happened: its place among all stops, and the time since the recording began. */
import { type Nanoseconds, nanoseconds } from '../../linux/ids.ts';
import type { TraceRecord } from '../../trace/records/record.ts';

type Unstamped<R> = R extends unknown ? Omit<R, 'sequence' | 'time'> : never;

/** A record that still lacks both. */
export type UnstampedRecord = Unstamped<TraceRecord>;

export class Stamps {
  readonly #began = process.hrtime.bigint();
  #sequence = 0;

  next(): number {
    return ++this.#sequence;
  }

  now(): Nanoseconds {
    return nanoseconds(Number(process.hrtime.bigint() - this.#began));
  }

  on(record: UnstampedRecord): TraceRecord {
    return { ...record, sequence: this.next(), time: this.now() } as TraceRecord;
  }
}
