/** What a recorder is told by, and tells, those who run it. Both recorders have this shape. */
import type { Tid } from '../../linux/ids.ts';
import type { CallRow } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';

export interface Observer {
  append(record: TraceRecord): void;
  /** The same for a call that encodes itself; absent: all calls come as records. */
  appendCall?(row: CallRow): void;
  /** Some task that is alive, for whoever wants to wake us with a signal; undefined for none. */
  alive(task: Tid | undefined): void;
  /** True once the tree has to end. */
  mustEnd(): boolean;
}

export interface RecorderResult {
  /** Raw wait status of the program. */
  status: number;
  /** Events that could not be kept; not 0 means that the recording has holes. */
  droppedEvents: number;
}
