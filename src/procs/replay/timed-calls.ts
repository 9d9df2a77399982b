/**
 * Calls that ended because their time was up: whoever is in one will go on by itself, and nobody has
 * to be let go for its sake.
 *
 *   select(0, NULL, NULL, NULL, 400 ms) = 0      how perl sleeps
 */
import { errnoNumber } from '../../linux/errno.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { waitsForReadiness } from '../model/call-groups.ts';
import type { ScriptedRecord } from './script.ts';

const WITH_TIMEOUT = /^(futex|semtimedop|rt_sigtimedwait|mq_timed(send|receive))$/;
const TOO_LATE: ReadonlySet<number> = new Set(
  ['ETIMEDOUT', 'EAGAIN'].map((name) => -(errnoNumber(name) ?? 0)),
);

export function endsByItself(record: ScriptedRecord): boolean {
  if (record.kind !== 'call') return false;
  if (waitsForReadiness(record)) return record.result === 0;
  return WITH_TIMEOUT.test(syscallName(record.number)) && TOO_LATE.has(record.result);
}
