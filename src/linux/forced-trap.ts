/**
 * Puts back what the kernel changes when a thread that has SIGTRAP blocked comes to an int3: it takes SIGTRAP out
 * of the blocked signals, for good. One that has all others of its kind blocked had that one blocked, too: nobody
 * leaves SIGSEGV, SIGBUS, SIGILL and SIGFPE out on purpose, but SIGTRAP in.
 *
 * Not put back: SIGTRAP in the mask of one who blocks nothing but that, and a handler for SIGTRAP of such a
 * program, which the kernel sets to the default.
 */
import type { Tid } from './ids.ts';
import { blockedSignals, setBlockedSignals } from './ptrace.ts';
import { signalSet } from './signal-sets.ts';
import { Signal } from './signals.ts';

const FAULTS = signalSet([Signal.SIGSEGV, Signal.SIGBUS, Signal.SIGILL, Signal.SIGFPE]);
const TRAP = signalSet([Signal.SIGTRAP]);

/** `task` has stopped at an int3. */
export function blockTrapAgain(task: Tid): void {
  const blocked = blockedSignals(task);
  if ((blocked & FAULTS) === FAULTS && (blocked & TRAP) === 0n) {
    setBlockedSignals(task, blocked | TRAP);
  }
}
