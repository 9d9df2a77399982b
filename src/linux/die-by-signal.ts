import { doLastActs } from '../base/last-acts.ts';
import { libcFunction } from './libc.ts';
import { setDumpable } from './prctl.ts';
import { Signal } from './signals.ts';

const setAction = libcFunction('uintptr_t signal(int signal, uintptr_t handler)');

/** Source: <asm-generic/signal-defs.h>. */
const SIG_DFL = 0;

/**
 * Ends us as the target ended, so that a caller sees the same. If the target dumped core it has
 * done so already: ours would only be in the way.
 */
export function dieBySignal(signal: number): void {
  // Who dies of a signal does not come by its exit.
  void doLastActs();
  setDumpable(false);
  // Node ignores SIGPIPE and SIGXFSZ, and may have handlers of its own for others.
  setAction(signal, SIG_DFL);
  process.kill(process.pid, signal);
  // Only reached for a signal whose default is to be ignored: the shell's convention then.
  if (signal !== Signal.SIGKILL) process.exitCode = 128 + signal;
}
