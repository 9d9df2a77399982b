/**
 * What is recorded of each system call. There are three classes:
 *
 *   with a shape   recorded, with what recorded/shape.ts says is worth keeping of it
 *   harmless       not recorded at all, and so costs the program nothing: brk, getpid, …
 *   unmodelled     everything else, also calls that are newer than our table: recorded with number
 *                  and result only, so that a report can count and name them
 */
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { DESCRIPTOR_CALLS } from './recorded/descriptors.ts';
import { FILE_CALLS } from './recorded/files.ts';
import { PROCESS_CALLS } from './recorded/processes.ts';
import { type DataArgument, LONGEST_DATA, type Shape, shape } from './recorded/shape.ts';
import { SHARED_CALLS } from './recorded/shared.ts';
import { HARMLESS, REFUSED, TOLD_OTHERWISE } from './recorded/unrecorded.ts';

export interface RecordedCall extends Shape {
  name: string;
}

export const RECORDED_CALLS: Readonly<Record<string, Shape>> = {
  ...FILE_CALLS,
  ...DESCRIPTOR_CALLS,
  ...PROCESS_CALLS,
  ...SHARED_CALLS,
};

/** Numbers below this are looked at; x86-64 has none above, but for those of x32. */
export const CALL_NUMBERS = 512;

/** All that a shape can have. With the same properties in the same order, the engine finds them at once. */
const ABSENT: Readonly<Record<keyof RecordedCall, undefined>> = {
  name: undefined,
  paths: undefined,
  file: undefined,
  file2: undefined,
  kept: undefined,
  opens: undefined,
  duplicates: undefined,
  creates: undefined,
  pair: undefined,
  data: undefined,
  position: undefined,
  skipped: undefined,
  orFolder: undefined,
  addressResult: undefined,
  commands: undefined,
  streamsOnly: undefined,
  takes: undefined,
  gives: undefined,
};

const named = (name: string, of: Shape): RecordedCall =>
  ({ ...ABSENT, name, ...of }) as RecordedCall;

const BY_NUMBER = new Map<number, RecordedCall>(
  Object.entries(RECORDED_CALLS).map(([name, of]) => [syscallNumber(name), named(name, of)]),
);

const UNRECORDED = new Set([...HARMLESS, ...TOLD_OTHERWISE].map(syscallNumber));
const BARE = named('unmodelled', shape(''));
const REFUSED_NUMBERS = new Set(REFUSED.map(syscallNumber));

/** Those that are recorded, in whichever way. */
export const RECORDED_NUMBERS: readonly number[] = Array.from(
  { length: CALL_NUMBERS },
  (_, number) => number,
).filter((number) => !UNRECORDED.has(number));

/** Whether it is known what a recorded call does. */
export const isModelled = (number: number): boolean => BY_NUMBER.has(number);

/** Whether the recorders make it fail with ENOSYS. */
export const isRefused = (number: number): boolean => REFUSED_NUMBERS.has(number);

/** By number. */
const LOOKED_UP = Array.from({ length: CALL_NUMBERS }, (_, number) =>
  UNRECORDED.has(number) ? undefined : (BY_NUMBER.get(number) ?? BARE),
);

/** undefined if it is not recorded. */
export function recordedCall(number: number): RecordedCall | undefined {
  return LOOKED_UP[number];
}

/** The arguments that are worth keeping, with 0 for the others. */
export function keptArguments(shape: Shape, args: readonly number[]): number[] {
  return [0, 1, 2, 3, 4, 5].map((index) => keptArgument(shape, args, index));
}

export function keptArgument(
  { kept, commands }: Shape,
  args: readonly number[],
  index: number,
): number {
  if (index >= kept.length) return 0;
  const keep = kept[index];
  if (keep === 'never' || (keep === 'option' && !isWithNumber(commands, args))) return 0;
  return args[index] ?? 0;
}

const isWithNumber = (commands: Shape['commands'], args: readonly number[]): boolean =>
  commands?.withNumber.includes((args[commands.at] ?? 0) | 0) ?? false;

/** Whether the result is a new descriptor. */
export function hasOpened({ opens }: Shape, { args, result }: Outcome): boolean {
  if (opens === undefined || result < 0) return false;
  return opens === true || opens.includes((args[1] ?? 0) | 0);
}

/** Whether the call has gone by the position of its file. */
export function usesPosition({ position }: Shape, { args }: Outcome): boolean {
  if (!position) return false;
  return position.argument === undefined || args[position.argument] === position.value;
}

/** How many bytes of `data` there are to keep; 0 for none. */
export function dataSize({ data, takes }: Shape, outcome: Outcome): number {
  if (!data || (data.ifSuccessful && outcome.result < 0)) return 0;
  if (data.commands && !data.commands.includes((outcome.args[1] ?? 0) | 0)) return 0;
  const size = wholeSize(data, outcome);
  // All of it is in records of its own.
  if (takes?.into === 'data' && size > LONGEST_DATA) return 0;
  return Math.max(0, Math.min(LONGEST_DATA, size));
}

function wholeSize({ size }: DataArgument, { args, result }: Outcome): number {
  if (typeof size === 'number') return size;
  if ('bits' in size) return Math.ceil(((args[size.bits] ?? 0) | 0) / 8);
  const count = size.count === 'result' ? result : (args[size.count] ?? 0);
  return (count | 0) * size.unit;
}

/** What is known of a call once it has ended; the arguments as they were passed. */
type Outcome = Pick<CallRecord, 'args' | 'result'>;
