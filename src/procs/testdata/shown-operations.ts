/** What a call loads and stores, as text, for tables in tests. */
import { type Pid, pid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { operationsOf } from '../model/model.ts';
import type { ModelledCall, Population } from '../model/modelled-call.ts';
import { named, type Operation } from '../model/operation.ts';
import { callRecord } from './records.ts';

type Given = Partial<Omit<ModelledCall, 'call' | 'process'>> &
  Partial<Pick<CallRecord, 'args' | 'result' | 'file' | 'file2' | 'created' | 'position'>> & {
    /** By descriptor, and not by path. */
    isOpen?: boolean;
  };

/** Without a pid namespace. */
export const PLAIN_NUMBERS: Population = {
  byOwnNumber: (number) => number as Pid,
  numberOf: (process) => process,
};

/** The process 1 calls; processes have the numbers that they have. */
export function shown(call: string, name: string | undefined, given: Given = {}): string {
  const { args, result, file, file2, created, position, isOpen, ...rest } = given;
  const details = { args: args ?? [], result: result ?? 0, file, file2, created, position };
  const record = callRecord(1, call, isOpen ? undefined : name, details);
  const target = name === undefined ? undefined : named(name);
  const modelled = { call: record, process: pid(1), name, target, ...rest };
  const operations = operationsOf(modelled, PLAIN_NUMBERS);
  return operations.map(shownOperation).join(', ');
}

/** `store contents /f [0, 10)`; with a ~ if it commutes with its like, and with what else is special. */
export function shownOperation(operation: Operation): string {
  const { op, part, thing, range, commutes, seamless, toWrite } = operation;
  const bytes = range ? ` [${range.from}, ${range.to})` : '';
  const special = `${seamless ? ' seamlessly' : ''}${toWrite ? ' to write' : ''}`;
  return `${commutes ? '~' : ''}${op} ${part} ${thing.name}${bytes}${special}`;
}
