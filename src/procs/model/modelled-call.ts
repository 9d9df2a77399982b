/**
 * What a model is given and what it gives back. A model is the one line that says what a system
 * call does to the kernel's objects:
 *
 *   mkdir("obj") = 0        stores the entry obj and the listing of its parent
 *   mkdir("obj") = EEXIST   only loads the entry obj
 */
import type { Pid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { CallNames } from './files.ts';
import type { Operation, Thing } from './operation.ts';

/** What is known of the processes when the call is made. */
export interface Population {
  /** The process that the caller means by a number: numbers are others inside a pid namespace. */
  byOwnNumber(number: number): Pid | undefined;
  /** The number that a process knows itself by. */
  numberOf(process: Pid): number;
}

export interface ModelledCall extends CallNames {
  call: CallRecord;
  process: Pid;
  /** The open file, and whether what is written to it goes to the end. */
  openFile?: { key: string; appends: boolean } | undefined;
  /** The stream that its bytes go into, or come from. */
  sendsInto?: Thing | undefined;
  takesFrom?: Thing | undefined;
  /** Of the socket: a path, or `port 80`. */
  address?: string | undefined;
}

export type Model = (modelled: ModelledCall, population: Population) => Operation[];

/** Models by the name of the call. */
export type Family = Readonly<Record<string, Model>>;

export const succeeded = ({ call }: ModelledCall): boolean => call.result >= 0;
export const NO_OPERATIONS: Operation[] = [];

/** The same model for several calls. */
export const sameFor = (model: Model, ...names: string[]): Family =>
  Object.fromEntries(names.map((name) => [name, model]));
