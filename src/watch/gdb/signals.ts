/** Signals by gdb's numbers, which are the same on all machines: `include/gdb/signals.def`. */
export const SIGTRAP = 5;

const NAMES: readonly string[] = [
  ...['', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGEMT', 'SIGFPE'],
  ...['SIGKILL', 'SIGBUS', 'SIGSEGV', 'SIGSYS', 'SIGPIPE', 'SIGALRM', 'SIGTERM', 'SIGURG'],
  ...['SIGSTOP', 'SIGTSTP', 'SIGCONT', 'SIGCHLD', 'SIGTTIN', 'SIGTTOU', 'SIGIO', 'SIGXCPU'],
  ...['SIGXFSZ', 'SIGVTALRM', 'SIGPROF', 'SIGWINCH', 'SIGLOST', 'SIGUSR1', 'SIGUSR2', 'SIGPWR'],
];

export const signalName = (number: number): string => NAMES[number] || `signal ${number}`;

/** The last that gdb knows: real-time signals are in several groups. */
const LAST = 152;

/** All that a program may get without anybody being told. */
export const passedSignals = (): number[] =>
  Array.from({ length: LAST }, (_, index) => index + 1).filter((number) => number !== SIGTRAP);
