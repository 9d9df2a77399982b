/**
 * Real-time signals end a process that does not expect them, and Node has no names for them by which it could be told
 * to expect one. Nobody means us with these: while we must not die unprepared, they are ignored.
 */
import { libcFunction } from './libc.ts';

const setAction = libcFunction('uintptr_t signal(int signal, uintptr_t handler)');

/** Source: <asm-generic/signal-defs.h>. */
const SIG_DFL = 0;
const SIG_IGN = 1;
/** Those that the C library does not keep for itself, signal(7). */
const [FIRST, LAST] = [34, 64];

/** Until what is returned is called. Those that somebody expects stay as they are. */
export function ignoreRealTimeSignals(): () => void {
  const ignored: number[] = [];
  for (let signal = FIRST; signal <= LAST; signal++) {
    if (changed(signal, SIG_DFL, SIG_IGN)) ignored.push(signal);
  }
  return () => {
    for (const signal of ignored) changed(signal, SIG_IGN, SIG_DFL);
  };
}

/** False, and all is as before, if it was not as it was supposed to be. */
function changed(signal: number, from: number, to: number): boolean {
  const before = Number(setAction(signal, to));
  if (before !== from) setAction(signal, before);
  return before === from;
}
