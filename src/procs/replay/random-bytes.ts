/** What the kernel made up when the program was recorded, it gets again: names of temporary files, seeds. */
import { encodeBytes } from '../../base/bytes.ts';
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { writeMemory } from '../../linux/process-memory.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';

const GETRANDOM = syscallNumber('getrandom');

export const asksForRandomBytes = ({ number }: { number: number }): boolean => number === GETRANDOM;

/** The task stands at the end of this call. */
export function repeatRandomBytes(
  task: Tid,
  { number, data }: CallRecord,
  args: readonly number[],
): void {
  if (number !== GETRANDOM || data === undefined) return;
  writeMemory(task, traceeAddress(BigInt(args[0] ?? 0)), encodeBytes(data));
}
