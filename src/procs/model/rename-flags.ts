import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';

const RENAMEAT2 = syscallNumber('renameat2');
/** Source: <linux/fs.h>. */
const RENAME_EXCHANGE = 2;

/** Whether both names stay, and only change places. */
export const isExchange = ({ number, args }: Pick<CallRecord, 'number' | 'args'>): boolean =>
  number === RENAMEAT2 && ((args[4] ?? 0) & RENAME_EXCHANGE) !== 0;
