/**
 * Makes the kernel choose again what it chose when a call was recorded, by asking for just that:
 *
 *   wait4(-1, …) = 14       wait4(14, …), although another child has ended, too
 *   read(0, …, 4096) = 6    read(0, …, 6), although more has been written by now
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { isStream } from '../detect/order/transfers.ts';
import type { EnteredCall, Release } from '../recorder/conductor.ts';

/** Source: <linux/wait.h>. */
const P_ALL = 0;
const P_PID = 1;
const P_PGID = 2;

/** `child`: which one a wait is to collect. */
export function narrowedCall(
  record: CallRecord,
  { args }: EnteredCall,
  child: number | undefined,
): Pick<Release, 'instead' | 'answer'> {
  const first = (args[0] ?? 0) | 0;
  switch (syscallName(record.number)) {
    case 'wait4':
      // It looked in passing, and found nobody; by now somebody may have ended.
      if (record.result === 0 && child === undefined) return { answer: 0 };
      return child !== undefined && first <= 0 ? { instead: new Map([[0, child]]) } : {};
    case 'waitid': {
      if (record.result === 0 && child === undefined) return { answer: 0 };
      if (child === undefined || (first !== P_ALL && first !== P_PGID)) return {};
      const instead = new Map([
        [0, P_PID],
        [1, child],
      ]);
      return { instead };
    }
    case 'read':
    case 'recvfrom': {
      const isLess = record.result > 0 && record.result < (args[2] ?? 0);
      return isLess && isStream(record.file) ? { instead: new Map([[2, record.result]]) } : {};
    }
  }
  return {};
}
