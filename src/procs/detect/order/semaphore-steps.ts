/** What a semop does to each of its semaphores: `+1` gives, `-1` takes, `0` waits until there is none. */
import { encodeBytes } from '../../../base/bytes.ts';
import type { CallRecord } from '../../../trace/records/call.ts';

/** `struct sembuf`, <linux/sem.h>. */
const SEMBUF = { step: 2, size: 6 } as const;

/** As far as they are known; 0, which says the least, where nothing is. */
export function semaphoreSteps({ data }: CallRecord): number[] {
  const bytes = data === undefined ? Buffer.alloc(0) : encodeBytes(data);
  const steps: number[] = [];
  for (let at = 0; at + SEMBUF.size <= bytes.length; at += SEMBUF.size) {
    steps.push(bytes.readInt16LE(at + SEMBUF.step));
  }
  return steps.length > 0 ? steps : [0];
}
