import { libcFunction } from './libc.ts';
import { Signal, signalName } from './signals.ts';

const prctl = libcFunction('int prctl(int option, ulong value)');

/** Source: <linux/prctl.h>. */
const PR_SET_DUMPABLE = 4;

/**
 * Ends us as the target ended, so that a caller sees the same. If the target dumped core it has
 * done so already: ours would only be in the way.
 */
export function dieBySignal(signal: number): void {
  prctl(PR_SET_DUMPABLE, 0);
  process.removeAllListeners(signalName(signal));
  process.kill(process.pid, signal);
  // Only reached for a signal whose default is to be ignored: the shell's convention then.
  if (signal !== Signal.SIGKILL) process.exitCode = 128 + signal;
}
