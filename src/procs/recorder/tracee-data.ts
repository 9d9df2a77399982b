/** The memory that a call's `data` argument points at, as shape.ts tells it. */
import { decodeBytes } from '../../base/bytes.ts';
import { type Tid, traceeAddress } from '../../linux/ids.ts';
import { readMemory } from '../../linux/process-memory.ts';
import { dataSize, type RecordedCall } from '../model/recorded-calls.ts';

/** undefined if there is none, or if it is not readable as a whole. */
export function readData(
  task: Tid,
  shape: RecordedCall,
  args: readonly number[],
  result: number,
): string | undefined {
  const size = dataSize(shape, { args, result });
  const address = args[shape.data?.at ?? 0] ?? 0;
  if (size === 0 || address === 0) return undefined;
  const bytes = readMemory(task, traceeAddress(BigInt(address)), size);
  return bytes.length === size ? decodeBytes(bytes) : undefined;
}
