/**
 * One system call, from its entry to its exit: two sequence numbers, because two calls that
 * overlap have no order.
 *
 *   openat(AT_FDCWD, "log", O_RDONLY) = 3, by task 14
 *   { kind: 'call', tid: 14, number: 257, entry: 40, exit: 43, enteredAt: 91000, leftAt: 95500,
 *     args: [-100, 0x7ffc2a10, 0, 0, 0, 0], result: 3, path: '/home/me/log',
 *     file2: { id: 0, device: 2049, inode: 1311, mode: 0o100644 } }
 *
 * Arguments and results are 64 bits read as signed; see column-writer.ts for what happens beyond 2^53.
 */
import type { Nanoseconds, Pid, Tid } from '../../linux/ids.ts';
import { nanoseconds, pid, tid } from '../../linux/ids.ts';
import type { KernelFile } from './kernel-file.ts';
import type { RecordKind } from './record-kind.ts';

export interface CallRecord {
  readonly kind: 'call';
  readonly tid: Tid;
  readonly number: number;
  readonly entry: number;
  readonly exit: number;
  readonly enteredAt: Nanoseconds;
  readonly leftAt: Nanoseconds;
  /** Six of them; those that the recorder leaves out are read back as 0. */
  readonly args: readonly number[];
  readonly result: number;
  /** The process that a wait collected, by the recorder's numbers: inside a pid namespace, `result` is not. */
  readonly reaped?: Pid | undefined;
  readonly path?: string | undefined;
  readonly path2?: string | undefined;
  readonly file?: KernelFile | undefined;
  readonly file2?: KernelFile | undefined;
}

export const call: RecordKind<CallRecord> = {
  name: 'call',
  code: 3,
  width: 18,
  encode(record, to) {
    to.u32(record.tid);
    to.u32(record.number);
    to.sequence(record.entry);
    to.sequence(record.exit);
    to.time(record.enteredAt);
    to.time(record.leftAt);
    for (let i = 0; i < 6; i++) to.i64(record.args[i] ?? 0);
    to.i64(record.result);
    to.u32(record.reaped ?? 0);
    to.optionalText(record.path);
    to.optionalText(record.path2);
    to.optionalFile(record.file);
    to.optionalFile(record.file2);
  },
  decode(from) {
    return {
      kind: 'call',
      tid: tid(from.u32()),
      number: from.u32(),
      entry: from.sequence(),
      exit: from.sequence(),
      enteredAt: nanoseconds(from.time()),
      leftAt: nanoseconds(from.time()),
      args: [from.i64(), from.i64(), from.i64(), from.i64(), from.i64(), from.i64()],
      result: from.i64(),
      reaped: reapedBy(from.u32()),
      path: from.optionalText(),
      path2: from.optionalText(),
      file: from.optionalFile(),
      file2: from.optionalFile(),
    };
  },
};

const reapedBy = (number: number): Pid | undefined => (number === 0 ? undefined : pid(number));
