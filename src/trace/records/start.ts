/** A task came to be: the root of the recording, a forked process or a new thread. */
import type { Nanoseconds, Pid, Tid } from '../../linux/ids.ts';
import { nanoseconds, pid, tid } from '../../linux/ids.ts';
import type { RecordKind } from './record-kind.ts';

const ways = ['root', 'fork', 'vfork', 'thread'] as const;

export interface StartRecord {
  readonly kind: 'start';
  readonly sequence: number;
  readonly time: Nanoseconds;
  readonly tid: Tid;
  readonly pid: Pid;
  /** Absent for the root, whose parent is not part of the recording. */
  readonly parentTid?: Tid | undefined;
  readonly how: (typeof ways)[number];
  /** The flags of clone(2), where the recorder sees them. */
  readonly cloneFlags?: number | undefined;
  /** Its process's number in its own, innermost pid namespace, if that is not `pid`. */
  readonly ownPid?: Pid | undefined;
}

export const start: RecordKind<StartRecord> = {
  name: 'start',
  code: 8,
  width: 9,
  encode(record, to) {
    startOfFormat1.encode(record, to);
    to.u32(record.ownPid ?? 0);
  },
  decode(from) {
    return { ...startOfFormat1.decode(from), ownPid: ownPidOf(from.u32()) };
  },
};

/** What format 1 had of a start. */
export const startOfFormat1: RecordKind<StartRecord> = {
  name: 'start',
  code: 1,
  width: 8,
  encode(record, to) {
    to.sequence(record.sequence);
    to.time(record.time);
    to.u32(record.tid);
    to.u32(record.pid);
    to.u32(record.parentTid ?? 0);
    to.choice(record.how, ways);
    to.u32(record.cloneFlags === undefined ? 0 : 1);
    to.i64(record.cloneFlags ?? 0);
  },
  decode(from) {
    return {
      kind: 'start',
      sequence: from.sequence(),
      time: nanoseconds(from.time()),
      tid: tid(from.u32()),
      pid: pid(from.u32()),
      parentTid: orAbsent(from.u32()),
      how: from.choice(ways),
      cloneFlags: ifThere(from.u32(), from.i64()),
    };
  },
};

/** No task has the number 0. */
function orAbsent(parent: number): Tid | undefined {
  return parent === 0 ? undefined : tid(parent);
}

function ifThere(isThere: number, value: number): number | undefined {
  return isThere === 1 ? value : undefined;
}

const ownPidOf = (number: number): Pid | undefined => (number === 0 ? undefined : pid(number));
