/** Calls about processes: who they are, what they are allowed, signals and waits. */
import { type Shape, shape } from './shape.ts';

/** sizeof(sigset_t) in the kernel; the handler is the first word of struct sigaction. */
const WORD = 8;

/**
 * PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER,
 * PR_SET_NO_NEW_PRIVS, <linux/prctl.h>: with a number, where others have an address or nothing.
 */
const PRCTL_WITH_NUMBER = [1, 4, 8, 24, 36, 38];

const IDENTITY: Readonly<Record<string, Shape>> = {
  getppid: shape(''),
  setuid: shape('number'),
  setgid: shape('number'),
  setreuid: shape('number number'),
  setregid: shape('number number'),
  setresuid: shape('number number number'),
  setresgid: shape('number number number'),
  setgroups: shape('number address'),
  setfsuid: shape('number'),
  setfsgid: shape('number'),
  capset: shape('address address'),
  setpgid: shape('number number'),
  getpgid: shape('number'),
  getpgrp: shape(''),
  setsid: shape(''),
  getsid: shape('number'),
  prctl: shape('number option', { commands: { at: 0, withNumber: PRCTL_WITH_NUMBER } }),
  prlimit64: shape('number number address address'),
  getrlimit: shape('number address'),
  setrlimit: shape('number address'),
  setpriority: shape('number number number'),
  getpriority: shape('number number'),
  unshare: shape('number'),
  setns: shape('file number'),
};

const SIGNALS: Readonly<Record<string, Shape>> = {
  kill: shape('number number'),
  tkill: shape('number number'),
  tgkill: shape('number number number'),
  rt_sigqueueinfo: shape('number number address'),
  rt_tgsigqueueinfo: shape('number number number address'),
  pidfd_send_signal: shape('file number address number'),
  // Those that only ask are skipped.
  rt_sigaction: shape('number address address number', {
    skipped: { argument: 1 },
    data: { at: 1, size: WORD },
  }),
  rt_sigprocmask: shape('number address address number', {
    skipped: { argument: 1 },
    data: { at: 1, size: WORD },
  }),
  rt_sigsuspend: shape('address number', { data: { at: 0, size: WORD } }),
  rt_sigtimedwait: shape('address address address number', { data: { at: 0, size: WORD } }),
  pause: shape(''),
  wait4: shape('number address number address'),
  waitid: shape('number number address number address'),
};

/** sizeof(struct timespec), and of struct timeval. */
const TWO_WORDS = 16;
/**
 * CLOCK_REALTIME, CLOCK_MONOTONIC, its _RAW, the _COARSE of both, and CLOCK_BOOTTIME, <linux/time.h>;
 * not those that count what a process has used.
 */
const CLOCKS = [0, 1, 4, 5, 6, 7];

/** What the kernel makes up, and a replay gives again. */
const MADE_UP: Readonly<Record<string, Shape>> = {
  getrandom: shape('address number number', {
    data: { at: 0, size: { count: 'result', unit: 1 }, ifSuccessful: true },
    takes: { into: 'data' },
  }),
  time: shape('address'),
  gettimeofday: shape('address address', { data: { at: 0, size: TWO_WORDS, ifSuccessful: true } }),
  clock_gettime: shape('number address', {
    skipped: { argument: 0, unlessOneOf: CLOCKS },
    data: { at: 1, size: TWO_WORDS, ifSuccessful: true },
  }),
  // Only with TIMER_ABSTIME: who waits until a certain time needs the real one.
  clock_nanosleep: shape('number number address address', { skipped: { argument: 1 } }),
  timer_settime: shape('number number address address', { skipped: { argument: 1 } }),
};

export const PROCESS_CALLS: Readonly<Record<string, Shape>> = {
  ...IDENTITY,
  ...SIGNALS,
  ...MADE_UP,
};
