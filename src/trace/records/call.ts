/**
 * One system call, from its entry to its exit: two sequence numbers, because two calls that
 * overlap have no order.
 *
 *   openat(AT_FDCWD, "log", O_RDONLY) = 3, by task 14
 *   { kind: 'call', tid: 14, number: 257, entry: 40, exit: 43, enteredAt: 91000, leftAt: 95500,
 *     args: [-100, 0, 0, 0, 0, 0], result: 3, path: 'log',
 *     file: { id: 0, device: 2049, inode: 1300, mode: 0o040755 },      the current folder
 *     file2: { id: 0, device: 2049, inode: 1311, mode: 0o100644 } }    what was opened
 *
 * A recorder tells what the program said and what the kernel knows; absolute names are worked out
 * later, from the folders that relative paths start at.
 *
 * Arguments and results are 64 bits read as signed; see column-writer.ts for what happens beyond 2^53.
 */
import type { Nanoseconds, Pid, Tid } from '../../linux/ids.ts';
import { nanoseconds, pid, tid } from '../../linux/ids.ts';
import type { FieldReader, FieldWriter } from './fields.ts';
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
  /** As the program passed it: byte strings, see base/bytes.ts. A symlink's target is `path2`. */
  readonly path?: string | undefined;
  readonly path2?: string | undefined;
  /** The open file that the call is about, or the folder that a relative `path` starts at. */
  readonly file?: KernelFile | undefined;
  /** The file that was opened, a second open file, or the folder that a relative `path2` starts at. */
  readonly file2?: KernelFile | undefined;
  /** The file that was opened did not exist before. */
  readonly created?: boolean | undefined;
  /**
   * Where the position of `file` stood after the call, if that is a regular file or a directory and
   * the call goes by its position: after read, but not after pread64.
   */
  readonly position?: number | undefined;
  /** The first bytes of what an argument points at, at the end of the call: a byte string. */
  readonly data?: string | undefined;
}

/**
 * A call that writes itself into a row, field by field in the order of `call.encode`: for a recorder
 * that meets millions of them, and would make an object of each just to take it apart again.
 */
export interface CallRow {
  encode(to: FieldWriter): void;
}

export const call: RecordKind<CallRecord> = {
  name: 'call',
  code: 7,
  width: 21,
  encode(record, to) {
    callOfFormat1.encode(record, to);
    to.i64(record.position === undefined ? 0 : record.position + 1);
    to.optionalText(record.data);
  },
  decode: (from) => decodeCall(from, true),
};

/** What format 1 had of a call. */
export const callOfFormat1: RecordKind<CallRecord> = {
  name: 'call',
  code: 3,
  width: 19,
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
    to.u32(record.created ? 1 : 0);
  },
  decode: (from) => decodeCall(from, false),
};

/**
 * In one piece, and all of the same shape: of an object to which fields are added by a spread, V8
 * keeps a description of its own for each, which doubles what a recording takes in memory.
 */
const decodeCall = (from: FieldReader, isNewest: boolean): CallRecord => ({
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
  created: from.u32() === 1 ? true : undefined,
  position: isNewest ? positionOf(from.i64()) : undefined,
  data: isNewest ? from.optionalText() : undefined,
});

const reapedBy = (number: number): Pid | undefined => (number === 0 ? undefined : pid(number));

const positionOf = (oneMore: number): number | undefined =>
  oneMore === 0 ? undefined : oneMore - 1;
