/**
 * recorded-calls.ts for the programs in the kernel: sixteen bytes for each system call, by number.
 *
 *   renameat    flags 1 (recorded), path 1, its directory 0, path2 3, its directory 2, no file
 *   open        flags 3 (recorded, opens), path 0, no directory: relative to the cwd
 *   poll        flags 1, data 0, dataCount 1, dataUnit 8: argument 1 times 8 bytes at argument 0
 */
import { assert } from '../../../base/assert.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import type { DataArgument, PathArgument } from '../../model/recorded/shape.ts';
import {
  CALL_NUMBERS,
  RECORDED_NUMBERS,
  type RecordedCall,
  recordedCall,
} from '../../model/recorded-calls.ts';

/** Numbers below this are looked up; a power of two. */
export const CALLS = CALL_NUMBERS;
export const CallShape = {
  /** Two bytes. */
  flags: 0,
  path: 2,
  directory: 3,
  path2: 4,
  directory2: 5,
  file: 6,
  file2: 7,
  data: 8,
  /** The argument that says how many there are, or FIXED, or RESULT. */
  dataCount: 9,
  /** Bytes each (all of them, if FIXED); 0 for bits. */
  dataUnit: 10,
  /** Not recorded if this argument has one of `skipBits`, or if there are none and it is 0. */
  skip: 11,
  skipBits: 12,
  /** Where the input goes that it takes: one of TakenInto. */
  takes: 13,
  /** The argument in which MSG_PEEK may be. */
  takesFlags: 14,
  /** Instead of `skipBits`: a bit for each value of `skip` with which it is recorded. */
  skipUnless: 15,
  size: 16,
} as const;
/** log2 of its size. */
export const SHAPE_SHIFT = 4;

export const CallFlag = {
  recorded: 1,
  opens: 2,
  /** Its result is in a siginfo_t. */
  isWaitid: 4,
  /** If it succeeds, what its arguments pointed at is gone. */
  replacesMemory: 8,
  /** Not recorded, but a start record tells what it asked for. */
  clones: 16,
  /** The position of its file is of interest. */
  position: 32,
  /** Its data is two descriptors. */
  pair: 64,
  /** Recorded only for pipes and sockets. */
  streamsOnly: 128,
  /** Its data stands where a second path would, since it has a first one. */
  dataAfterPath: 256,
  dataIfSuccessful: 512,
  /** restart_syscall: goes on with the call that a signal broke off. */
  continues: 1024,
  /** What it `takes` it does not take from its file, but put there. */
  gives: 2048,
  connects: 4096,
} as const;

export const TakenInto = {
  nowhere: 0,
  buffer: 1,
  vectors: 2,
  message: 3,
  elsewhere: 4,
  data: 5,
} as const;

/** In place of an argument's index. */
export const NO_ARGUMENT = 0xff;
/** In place of a directory: the path starts nowhere. */
export const NO_START = 0xfe;
/** In place of `dataCount`. */
export const FIXED = 0xff;
export const RESULT = 0xfe;
/** The arguments that `skip` can name. */
export const SKIPPED_BY = [0, 1, 3] as const;

const REPLACING = new Set(['execve', 'execveat']);

export function callTable(): Buffer {
  const table = Buffer.alloc(CALLS * CallShape.size);
  for (const number of RECORDED_NUMBERS) {
    table.set(rowOf(recordedCall(number)!), number * CallShape.size);
  }
  const setFlag = (name: string, flag: number): void => {
    table.writeUInt16LE(flag, syscallNumber(name) * CallShape.size + CallShape.flags);
  };
  for (const name of ['fork', 'vfork', 'clone', 'clone3']) setFlag(name, CallFlag.clones);
  setFlag('restart_syscall', CallFlag.continues);
  return table;
}

function rowOf(call: RecordedCall): Buffer {
  const row = Buffer.alloc(CallShape.size);
  const [first, second] = call.paths;
  row.writeUInt16LE(flagsOf(call), CallShape.flags);
  row[CallShape.path] = first?.at ?? NO_ARGUMENT;
  row[CallShape.directory] = startOf(call, first);
  row[CallShape.path2] = second?.at ?? NO_ARGUMENT;
  row[CallShape.directory2] = startOf(call, second);
  row[CallShape.file] = call.file ?? NO_ARGUMENT;
  row[CallShape.file2] = call.file2 ?? NO_ARGUMENT;
  row[CallShape.data] = call.data?.at ?? NO_ARGUMENT;
  row[CallShape.dataCount] = FIXED;
  if (call.data) setSize(row, call.data);
  row[CallShape.takes] = TakenInto[(call.takes ?? call.gives)?.into ?? 'nowhere'];
  row[CallShape.takesFlags] = call.takes?.flags ?? NO_ARGUMENT;
  row[CallShape.skip] = call.skipped?.argument ?? NO_ARGUMENT;
  row[CallShape.skipBits] = call.skipped?.ifAnyBit ?? 0;
  const wanted = call.skipped?.unlessOneOf ?? [];
  row[CallShape.skipUnless] = wanted.reduce((bits, value) => bits | (1 << value), 0);
  assert(!call.skipped || SKIPPED_BY.some((at) => at === call.skipped?.argument), call.name);
  return row;
}

function flagsOf(call: RecordedCall): number {
  let flags: number = CallFlag.recorded;
  if (call.opens) flags |= CallFlag.opens;
  if (call.name === 'waitid') flags |= CallFlag.isWaitid;
  if (REPLACING.has(call.name)) flags |= CallFlag.replacesMemory;
  if (call.position) flags |= CallFlag.position;
  if (call.pair) flags |= CallFlag.pair;
  if (call.streamsOnly) flags |= CallFlag.streamsOnly;
  if (call.data && call.paths.length > 0) flags |= CallFlag.dataAfterPath;
  if (call.data?.ifSuccessful) flags |= CallFlag.dataIfSuccessful;
  if (call.gives) flags |= CallFlag.gives;
  if (call.name === 'connect') flags |= CallFlag.connects;
  return flags;
}

/** `file` is where the directory of a path would be described. */
function startOf({ file }: RecordedCall, path: PathArgument | undefined): number {
  if (path?.isText || file !== undefined) return NO_START;
  return path?.directory ?? NO_ARGUMENT;
}

function setSize(row: Buffer, { size }: DataArgument): void {
  if (typeof size === 'number') row[CallShape.dataUnit] = size;
  else if ('bits' in size) row[CallShape.dataCount] = size.bits;
  else {
    row[CallShape.dataCount] = size.count === 'result' ? RESULT : size.count;
    row[CallShape.dataUnit] = size.unit;
  }
}
