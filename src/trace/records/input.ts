/**
 * What a task was given when it read the standard input that the program was started with, if that
 * is a pipe, a terminal or a socket: bytes that are gone once they are read. A long read has
 * several of these, one piece after the other, all before its call record.
 */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

export interface InputRecord {
  readonly kind: 'input';
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  /** A byte string, see base/bytes.ts. */
  readonly data: string;
}

export const input: RecordKind<InputRecord> = {
  name: 'input',
  code: 9,
  width: 4,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.text(record.data);
  },
  decode(from) {
    return {
      kind: 'input',
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      data: from.text(),
    };
  },
};
