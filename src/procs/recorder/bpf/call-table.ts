/**
 * recorded-calls.ts for the programs in the kernel: eight bytes for each system call, by number.
 *
 *   renameat    flags 1 (recorded), path 1, its directory 0, path2 3, its directory 2, no file
 *   open        flags 3 (recorded, opens), path 0, no directory: relative to the cwd
 */
import { assert } from '../../../base/assert.ts';
import { syscallNumber } from '../../../linux/syscalls.ts';
import { RECORDED_NUMBERS, recordedCall } from '../../model/recorded-calls.ts';

/** Numbers below this are looked up; a power of two. */
export const CALLS = 512;
export const CallShape = {
  flags: 0,
  path: 1,
  directory: 2,
  path2: 3,
  directory2: 4,
  file: 5,
  size: 8,
} as const;

export const CallFlag = {
  recorded: 1,
  opens: 2,
  /** Its result is in a siginfo_t. */
  isWaitid: 4,
  /** If it succeeds, what its arguments pointed at is gone. */
  replacesMemory: 8,
  /** Not recorded, but a start record tells what it asked for. */
  clones: 16,
} as const;

/** In place of an argument's index. */
export const NO_ARGUMENT = 0xff;

const REPLACING = new Set(['execve', 'execveat']);

export function callTable(): Buffer {
  const table = Buffer.alloc(CALLS * CallShape.size);
  for (const number of RECORDED_NUMBERS) {
    assert(number < CALLS, `call ${number} does not fit into the table`);
    table.set(shapeOf(number), number * CallShape.size);
  }
  for (const name of ['fork', 'vfork', 'clone', 'clone3']) {
    table[syscallNumber(name) * CallShape.size + CallShape.flags] = CallFlag.clones;
  }
  return table;
}

function shapeOf(number: number): number[] {
  const { name, paths, file, opens } = recordedCall(number)!;
  const [first, second] = paths;
  let flags: number = CallFlag.recorded;
  if (opens) flags |= CallFlag.opens;
  if (name === 'waitid') flags |= CallFlag.isWaitid;
  if (REPLACING.has(name)) flags |= CallFlag.replacesMemory;
  const indexes = [first?.at, first?.directory, second?.at, second?.directory, file];
  return [flags, ...indexes.map((index) => index ?? NO_ARGUMENT)];
}
