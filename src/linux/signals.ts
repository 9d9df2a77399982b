import { constants } from 'node:os';
import type { Pid, Tid } from './ids.ts';
import { libcFunction } from './libc.ts';
import { checked } from './system-error.ts';

/** Signal numbers of x86-64 Linux by name, from Node itself. */
export const Signal = constants.signals;

const NAMES = new Map<number, NodeJS.Signals>();
for (const [name, number] of Object.entries(constants.signals)) {
  // SIGIOT and SIGPOLL are second names of SIGABRT and SIGIO; the first one listed is the usual one.
  if (!NAMES.has(number)) NAMES.set(number, name as NodeJS.Signals);
}

/** `signalName(11)` is `'SIGSEGV'`; real-time signals are `'signal 34'`. */
export function signalName(signal: number): string {
  return NAMES.get(signal) ?? `signal ${signal}`;
}

const killFunction = libcFunction('int kill(int pid, int signal)');

export function sendSignal(target: Pid | Tid, signal: number): void {
  checked('kill', [target, signalName(signal)], killFunction(target, signal));
}

/** offsetof(siginfo_t, si_pid), <asm-generic/siginfo.h>. */
export const SI_PID_AT = 16;
