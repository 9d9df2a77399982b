/** Calls that make descriptors, pass them around, and wait for several of them. */
import { type Details, type Shape, shape } from './shape.ts';

const OPENS: Details = { opens: true };
const DUPLICATES: Details = { opens: true, duplicates: true };

/** Commands of fcntl, <linux/fcntl.h> and <asm-generic/fcntl.h>. */
const F_DUPFD = 0;
const F_DUPFD_CLOEXEC = 1030;
/** F_GETLK, F_SETLK, F_SETLKW, and the same for F_OFD_. */
const LOCK_COMMANDS = [5, 6, 7, 36, 37, 38];
/** F_SETFD, F_SETFL, F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS. */
const NUMBER_COMMANDS = [F_DUPFD, 2, 4, 8, 10, 1024, 1026, F_DUPFD_CLOEXEC, 1031, 1033];

/** sizeof(struct flock). */
const FLOCK_SIZE = 32;

const MAKING: Readonly<Record<string, Shape>> = {
  pipe: shape('address', { data: { at: 0, size: 8, ifSuccessful: true }, pair: true }),
  pipe2: shape('address number', { data: { at: 0, size: 8, ifSuccessful: true }, pair: true }),
  socketpair: shape('number number number address', {
    data: { at: 3, size: 8, ifSuccessful: true },
    pair: true,
  }),
  socket: shape('number number number', OPENS),
  accept: shape('file address address', OPENS),
  accept4: shape('file address address number', OPENS),
  dup: shape('file', DUPLICATES),
  dup2: shape('file number', DUPLICATES),
  dup3: shape('file number number', DUPLICATES),
  fcntl: shape('file number option', {
    opens: [F_DUPFD, F_DUPFD_CLOEXEC],
    duplicates: true,
    data: { at: 2, size: FLOCK_SIZE, commands: LOCK_COMMANDS },
    commands: { at: 1, withNumber: NUMBER_COMMANDS },
  }),
  close: shape('file', { streamsOnly: true }),
  close_range: shape('number number number'),
  eventfd: shape('number', OPENS),
  eventfd2: shape('number number', OPENS),
  signalfd: shape('number address number', OPENS),
  signalfd4: shape('number address number number', OPENS),
  timerfd_create: shape('number number', OPENS),
  timerfd_settime: shape('file number address address'),
  timerfd_gettime: shape('file address'),
  epoll_create: shape('number', OPENS),
  epoll_create1: shape('number', OPENS),
  inotify_init: shape('', OPENS),
  inotify_init1: shape('number', OPENS),
  inotify_rm_watch: shape('file number'),
  memfd_create: shape('text number', OPENS),
  pidfd_open: shape('number number', OPENS),
};

const CONNECTING: Readonly<Record<string, Shape>> = {
  connect: shape('file address number', { data: { at: 1, size: { count: 2, unit: 1 } } }),
  bind: shape('file address number', { data: { at: 1, size: { count: 2, unit: 1 } } }),
  listen: shape('file number'),
  shutdown: shape('file number'),
  sendto: shape('file address number number address number', { gives: { into: 'buffer' } }),
  sendmsg: shape('file address number', { gives: { into: 'message' } }),
  sendmmsg: shape('file address number number'),
  recvfrom: shape('file address number number address address', {
    takes: { into: 'buffer', flags: 3 },
  }),
  recvmsg: shape('file address number', { takes: { into: 'message', flags: 2 } }),
  recvmmsg: shape('file address number number address', { takes: { into: 'elsewhere' } }),
};

/** struct pollfd has 8 bytes, struct epoll_event 12. */
const POLLED: Details = { data: { at: 0, size: { count: 1, unit: 8 } } };
const SELECTED: Details = { data: { at: 1, size: { bits: 0 } } };
const EVENTS: Details = { data: { at: 1, size: { count: 'result', unit: 12 } } };

const WAITING: Readonly<Record<string, Shape>> = {
  poll: shape('address number number', POLLED),
  ppoll: shape('address number address address number', POLLED),
  select: shape('number address address address address', SELECTED),
  pselect6: shape('number address address address address address', SELECTED),
  epoll_ctl: shape('file number file address', { data: { at: 3, size: 12 } }),
  epoll_wait: shape('file address number number', EVENTS),
  epoll_pwait: shape('file address number number address number', EVENTS),
  epoll_pwait2: shape('file address number address address number', EVENTS),
};

export const DESCRIPTOR_CALLS: Readonly<Record<string, Shape>> = {
  ...MAKING,
  ...CONNECTING,
  ...WAITING,
};
