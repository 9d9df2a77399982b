/**
 * Bytes that a task was given by a call and that cannot be read a second time. A long read has
 * several of these, one piece after the other, all before its call record.
 */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

export interface TakenBytes<Name extends string> {
  readonly kind: Name;
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  /** A byte string, see base/bytes.ts. */
  readonly data: string;
}

const takenBytes = <Name extends string>(
  name: Name,
  code: number,
): RecordKind<TakenBytes<Name>> => ({
  name,
  code,
  width: 4,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.text(record.data);
  },
  decode(from) {
    return {
      kind: name,
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      data: from.text(),
    };
  },
});

/** From the standard input that the program was started with, if that is a pipe, a terminal or a socket. */
export const input = takenBytes('input', 9);

/** From /dev/random or /dev/urandom. */
export const random = takenBytes('random', 10);
