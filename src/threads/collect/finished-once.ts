/**
 * The end of an initialisation, as an atomic write. A C++ compiler puts a look at the guard before the
 * initialisation of a static variable, and calls the library only if that is not done yet:
 *
 *   T1  guard is 0 → __cxa_guard_acquire … table[0] = 1 … __cxa_guard_release
 *   T2  guard is 1 → reads table[0]
 *
 * T2's look is a plain load, and what it finds is written in the library, which is not traced. So the guard's
 * first byte counts as written atomically there: the look is then an atomic read (docs/atomics.md), and the
 * table is in order. Whoever only calls pthread_once never looks at such a byte, and it is in no trace.
 */
import type { AgentLog } from '../../linux/agent-log.ts';
import { LogKind, LogOp } from '../../linux/agent-protocol.ts';

export const GUARD_BYTES = 1;

/** Whether it is an initialisation that was done; `log.object` is the guard. One that was given up writes 0. */
export function isFinishedOnce(log: AgentLog): boolean {
  return (
    log.kind === LogKind.DH_LOG_SYNC && log.op === LogOp.DH_OP_ONCE_END && log.extra !== GIVEN_UP
  );
}

const GIVEN_UP = 1;
