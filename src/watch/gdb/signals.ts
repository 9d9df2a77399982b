/** Signals by gdb's numbers, which are the same on all machines: `include/gdb/signals.def`. */
export const SIGTRAP = 5;

const NAMES: readonly string[] = [
  ...['', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGEMT', 'SIGFPE'],
  ...['SIGKILL', 'SIGBUS', 'SIGSEGV', 'SIGSYS', 'SIGPIPE', 'SIGALRM', 'SIGTERM', 'SIGURG'],
  ...['SIGSTOP', 'SIGTSTP', 'SIGCONT', 'SIGCHLD', 'SIGTTIN', 'SIGTTOU', 'SIGIO', 'SIGXCPU'],
  ...['SIGXFSZ', 'SIGVTALRM', 'SIGPROF', 'SIGWINCH', 'SIGLOST', 'SIGUSR1', 'SIGUSR2', 'SIGPWR'],
];

export const signalName = (number: number): string => NAMES[number] || `signal ${number}`;
