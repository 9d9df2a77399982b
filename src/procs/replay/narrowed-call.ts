/**
 * Makes the kernel choose again what it chose when a call was recorded, by asking for just that:
 *
 *   wait4(-1, …) = 14       wait4(14, …), although another child has ended, too
 *   read(0, …, 4096) = 6    read(0, …, 6), although more has been written by now
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { isStream } from '../detect/order/transfers.ts';
import type { EnteredCall } from '../recorder/conductor.ts';

/** Source: <linux/wait.h>. */
const P_ALL = 0;
const P_PID = 1;
const P_PGID = 2;

/** Arguments to put in place of the given ones, by index. `child`: which one a wait is to collect. */
export function narrowedCall(
  record: CallRecord,
  { args }: EnteredCall,
  child: number | undefined,
): ReadonlyMap<number, number> | undefined {
  const first = (args[0] ?? 0) | 0;
  switch (syscallName(record.number)) {
    case 'wait4':
      return child !== undefined && first <= 0 ? new Map([[0, child]]) : undefined;
    case 'waitid':
      if (child === undefined || (first !== P_ALL && first !== P_PGID)) return undefined;
      return new Map([
        [0, P_PID],
        [1, child],
      ]);
    case 'read':
    case 'recvfrom': {
      const isLess = record.result > 0 && record.result < (args[2] ?? 0);
      return isLess && isStream(record.file) ? new Map([[2, record.result]]) : undefined;
    }
  }
  return undefined;
}
