/**
 * Bytes that went through a socket which a task had connected to somebody, who may be none of the recorded
 * program and not be there when it runs again. As with taken-bytes.ts, there may be several pieces, all
 * before the record of their call:
 *
 *   sent      socket 4711   "GET / HTTP/1.0\r\n\r\n"    by write(3, …) = 18
 *   received  socket 4711   "HTTP/1.0 200 OK\r\n…"      by read(3, …) = 5000, in two pieces
 */
import type { Nanoseconds, Tid } from '../../linux/ids.ts';
import { nanoseconds, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

export interface SocketBytes<Name extends string> {
  readonly kind: Name;
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  /** Its inode. */
  readonly socket: number;
  /** A byte string, see base/bytes.ts. */
  readonly data: string;
}

const socketBytes = <Name extends string>(
  name: Name,
  code: number,
): RecordKind<SocketBytes<Name>> => ({
  name,
  code,
  width: 5,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.i64(record.socket);
    to.text(record.data);
  },
  decode(from) {
    return {
      kind: name,
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      socket: from.i64(),
      data: from.text(),
    };
  },
});

export const received = socketBytes('received', 11);
export const sent = socketBytes('sent', 12);
