/** A task ended; `status` is the raw wait status: 256 for exit(1), 9 for death by SIGKILL. */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

export interface ExitRecord {
  readonly kind: 'exit';
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  readonly status: number;
}

export const exit: RecordKind<ExitRecord> = {
  name: 'exit',
  code: 4,
  width: 4,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.u32(record.status);
  },
  decode(from) {
    return {
      kind: 'exit',
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      status: from.u32(),
    };
  },
};
