/**
 * System calls that ended with EINTR only because of us. Whoever is stopped by PTRACE_INTERRUPT, or by a signal
 * that it ignores (which wakes only those that are traced), is in most calls as if nothing had been: the kernel
 * makes them again. But epoll_wait and a few others end, which programs need not expect:
 *
 *   epoll_wait(5, …, -1)                stopped by PTRACE_INTERRUPT: rax is EINTR, no signal is on its way
 *   rip - 2, rax = orig_rax             and it is made again, with its whole timeout
 */
import { errnoNumber } from './errno.ts';
import type { Tid } from './ids.ts';
import { isIgnoredBy } from './ignored-signals.ts';
import { rewindCall } from './inject.ts';
import { readRegisters } from './ptrace.ts';
import { signalSetsOf, signalsIn } from './signal-sets.ts';

const EINTR = BigInt(errnoNumber('EINTR')!);
/** Its descriptor is gone in spite of the error. */
const CLOSE = 3n;

/** `task` stands at the end of a call, or elsewhere; not at a stop for a system call. */
export function makeInterruptedCallAgain(task: Tid): void {
  const registers = readRegisters(task);
  const call = BigInt.asIntN(64, registers.get('orig_rax'));
  const result = BigInt.asIntN(64, registers.get('rax'));
  if (call < 0n || call === CLOSE || result !== -EINTR || hasSignalComing(task)) return;
  rewindCall(task, registers);
}

/** Then EINTR is what it would have got without us, too. */
function hasSignalComing(task: Tid): boolean {
  const sets = signalSetsOf(task);
  if (sets === undefined) return false;
  const coming = (sets('SigPnd') | sets('ShdPnd')) & ~sets('SigBlk');
  return signalsIn(coming).some((signal) => !isIgnoredBy(sets, signal));
}
