/** Something the recorder wants the reader to know: '32-bit system calls were not recorded'. */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

export interface NoteRecord {
  readonly kind: 'note';
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  readonly text: string;
}

export const note: RecordKind<NoteRecord> = {
  name: 'note',
  code: 6,
  width: 4,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.text(record.text);
  },
  decode(from) {
    return {
      kind: 'note',
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      text: from.text(),
    };
  },
};
