/** Calls on what processes share besides files: futexes, SysV and POSIX IPC, the machine itself. */
import { type Details, type Shape, shape } from './shape.ts';

/** struct sembuf has 6 bytes. */
const SEMAPHORES: Details = { data: { at: 1, size: { count: 2, unit: 6 } } };
/** SETVAL, <linux/sem.h>; other commands have an address, or nothing. */
const SEMCTL_WITH_NUMBER = [16];

export const SHARED_CALLS: Readonly<Record<string, Shape>> = {
  // FUTEX_PRIVATE_FLAG: between threads of one process.
  futex: shape('address number number address address number', {
    skipped: { argument: 1, ifAnyBit: 128 },
  }),
  shmget: shape('number number number'),
  shmat: shape('number address number', { addressResult: true }),
  shmdt: shape('address'),
  shmctl: shape('number number address'),
  msgget: shape('number number'),
  msgsnd: shape('number address number number'),
  msgrcv: shape('number address number number number'),
  msgctl: shape('number number address'),
  semget: shape('number number number'),
  semop: shape('number address number', SEMAPHORES),
  semtimedop: shape('number address number address', SEMAPHORES),
  semctl: shape('number number number option', {
    commands: { at: 2, withNumber: SEMCTL_WITH_NUMBER },
  }),
  mq_open: shape('text number number address', { opens: true }),
  mq_unlink: shape('text'),
  mq_timedsend: shape('file address number number address'),
  mq_timedreceive: shape('file address number address address'),
  mq_notify: shape('file address'),
  mq_getsetattr: shape('file address address'),
  sethostname: shape('address number'),
  setdomainname: shape('address number'),
  settimeofday: shape('address address'),
  clock_settime: shape('number address'),
  adjtimex: shape('address'),
  clock_adjtime: shape('number address'),
  uname: shape('address'),
};
