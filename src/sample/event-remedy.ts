/** What became of a thread whose event the agent could not make, and what to do about it. */
import { printable } from '../base/bytes.ts';
import { errnoName } from '../linux/errno.ts';
import { perfRemedy } from '../linux/perf-remedy.ts';

const TOO_MANY = 'raise the limit of open files (ulimit -n) or of locked memory (ulimit -l)';

/** `call`: the system call that has failed. Without perf, the agent takes a timer. */
export function eventRemedy(errno: number, call: string): string {
  if (call !== 'perf_event_open') {
    return `${printable(call)} has failed; raise the limit of pending signals (ulimit -i), which timers count as`;
  }
  const error = Object.assign(new Error(call), { code: errnoName(errno) });
  return `it was by timer instead; ${perfRemedy(error, TOO_MANY)}`;
}
