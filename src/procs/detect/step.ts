/**
 * One thing that a process did, or that happened to it: a system call, the making of another
 * process, the arrival of a signal, its end. Each is an event of the happens-before graph.
 */
import type { Pid, Tid } from '../../linux/ids.ts';
import type { EventId } from '../../order/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { ExitRecord } from '../../trace/records/exit.ts';
import type { SignalRecord } from '../../trace/records/signal.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import type { Operation } from '../model/operation.ts';

export interface Step {
  /** The record that tells of it; a start is told of the parent. */
  record: CallRecord | StartRecord | SignalRecord | ExitRecord;
  task: Tid;
  process: Pid;
  event: EventId;
  operations: readonly Operation[];
  /** Of the file that a call is about, or that its path leads to, and of the second one. */
  name?: string | undefined;
  name2?: string | undefined;
}

/** Where it stands among the recorded events: where it ended, and where it began. */
export const endOf = ({ record }: Step): number =>
  record.kind === 'call' ? record.exit : record.sequence;
export const beginningOf = ({ record }: Step): number =>
  record.kind === 'call' ? record.entry : record.sequence;
