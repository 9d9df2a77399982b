/**
 * Lets a tracee run as if it had no seccomp filters, so that none of its calls stops it any more; forks,
 * execs, signals and its end still do. Filters can be added but never taken away, so there is no other
 * way to spare a task stops that its parents still need. What it starts from then on has none either.
 *
 * The kernel grants this (PTRACE_O_SUSPEND_SECCOMP) only to a tracer with CAP_SYS_ADMIN that has no
 * filters itself; for others everything goes on as before, with stops. The program's own filters are
 * suspended too: whoever asks has to know that there are none.
 */
import type { Tid } from './ids.ts';
import { setOptions, TraceOption } from './ptrace.ts';
import { SystemError } from './system-error.ts';
import { FOLLOW_EVERYTHING } from './tracee-stop.ts';

const REFUSALS = ['EPERM', 'EINVAL'];
let isGranted = true;

/** Whether it worked. */
export function suspendFilters(tracee: Tid): boolean {
  if (!isGranted) return false;
  try {
    setOptions(tracee, FOLLOW_EVERYTHING | TraceOption.suspendFilters);
  } catch (error) {
    if (!(error instanceof SystemError && REFUSALS.includes(error.code))) throw error;
    isGranted = false;
  }
  return isGranted;
}
