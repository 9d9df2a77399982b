/**
 * Whether what a task is about to do is what the recording says it did next. If not, the replay has
 * left the recorded path, and nothing that follows proves anything about it.
 */
import { printable } from '../../base/bytes.ts';
import { signalName } from '../../linux/signals.ts';
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { isStartingCall } from '../recorder/call-stops.ts';
import type { EnteredCall } from '../recorder/conductor.ts';
import type { MadeUpNames } from './made-up-names.ts';
import { ownNumber } from './recorded-numbers.ts';
import type { Item, ScriptedRecord } from './script.ts';

export const startsTask = ({ number }: Pick<EnteredCall, 'number'>): boolean =>
  isStartingCall(number);

export function isExpected(record: ScriptedRecord, call: EnteredCall, names: MadeUpNames): boolean {
  if (record.kind === 'start') return startsTask(call);
  if (record.kind !== 'call') return false;
  // A path that could not be read when it was recorded says nothing.
  const isSame = (recorded: string | undefined, now: string | undefined): boolean =>
    recorded === undefined || now === undefined || names.areSame(recorded, now);
  return (
    record.number === call.number &&
    isSame(record.path, call.path) &&
    isSame(record.path2, call.path2)
  );
}

/** Whether a call ended as recorded: with the same error, or with none. */
export function hasSameResult(recorded: CallRecord, now: CallRecord): boolean {
  return recorded.result < 0 || now.result < 0 ? recorded.result === now.result : true;
}

export function shownCall({ number, path }: Pick<EnteredCall, 'number' | 'path'>): string {
  return `${syscallName(number)}(${path === undefined ? '' : `"${printable(path)}"`})`;
}

/** With whose it is: `mkdir("d") of process 14`. */
export const shownItem = ({ record, task }: Item): string =>
  `${shownRecord(record)} of process ${ownNumber(task)}`;

export function shownRecord(record: ScriptedRecord): string {
  switch (record.kind) {
    case 'call':
      return shownCall(record);
    case 'start':
      return record.how === 'thread' ? 'the start of a thread' : 'a fork';
    case 'signal':
      return `the arrival of ${signalName(record.signal)}`;
    case 'exit':
      return 'its end';
  }
}
