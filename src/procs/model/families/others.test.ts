import { describe, expect, it } from 'vitest';
import { SOME_FILE } from '../../testdata/records.ts';
import { shown } from '../../testdata/shown-operations.ts';

const [IPC_CREAT, IPC_EXCL] = [0o1000, 0o2000];

describe('System V', () => {
  it.each([
    ['msgget', shown('msgget', undefined, { args: [7, 0] }), 'load entry message queue with key 7'],
    [
      'msgget that may make one',
      shown('msgget', undefined, { args: [7, IPC_CREAT] }),
      '~store entry message queue with key 7',
    ],
    [
      'shmget that makes one',
      shown('shmget', undefined, { args: [7, 10, IPC_CREAT | IPC_EXCL] }),
      'store entry shared memory with key 7',
    ],
    [
      'shmget in vain',
      shown('shmget', undefined, { args: [7, 10, IPC_CREAT | IPC_EXCL], result: -17 }),
      'load entry shared memory with key 7',
    ],
    ['semget of a private one', shown('semget', undefined, { args: [0, 1, IPC_CREAT] }), ''],
    ['shmat', shown('shmat', undefined, { args: [3] }), 'load life shared memory 3'],
    [
      'msgctl, removing',
      shown('msgctl', undefined, { args: [3, 0] }),
      'store life message queue 3',
    ],
    [
      'msgctl, setting',
      shown('msgctl', undefined, { args: [3, 1] }),
      'store attributes message queue 3',
    ],
    ['msgctl, asking', shown('msgctl', undefined, { args: [3, 2] }), 'load life message queue 3'],
    [
      'semctl, removing',
      shown('semctl', undefined, { args: [3, 0, 0] }),
      'store life semaphores 3',
    ],
    [
      'semctl in vain',
      shown('semctl', undefined, { args: [3, 0, 0], result: -22 }),
      'load life semaphores 3',
    ],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('sockets', () => {
  it.each([
    ['bind to a port', shown('bind', undefined, { address: 'port 80' }), 'store entry port 80'],
    [
      'bind in vain',
      shown('bind', undefined, { address: 'port 80', result: -98 }),
      'load entry port 80',
    ],
    [
      'bind to a path',
      shown('bind', undefined, { address: '/run/s' }),
      'store entry /run/s, ~store listing /run',
    ],
    ['bind to what the kernel chooses', shown('bind', undefined), ''],
    ['listen', shown('listen', undefined, { address: 'port 80' }), 'store life port 80'],
    [
      'connect in vain',
      shown('connect', undefined, { address: 'port 80', result: -111 }),
      'load entry port 80, load life port 80',
    ],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('streams', () => {
  const stream = { key: 'pipe 1:7', name: 'pipe 1:7' };
  it.each([
    ['write', shown('write', undefined, { result: 5, sendsInto: stream }), 'store sent pipe 1:7'],
    ['write of nothing', shown('write', undefined, { result: 0, sendsInto: stream }), ''],
    ['read', shown('read', undefined, { result: 5, takesFrom: stream }), 'store taken pipe 1:7'],
    ['read at the end', shown('read', undefined, { result: 0, takesFrom: stream }), ''],
    [
      'msgsnd, which gives 0',
      shown('msgsnd', undefined, { sendsInto: stream }),
      'load life message queue 0, store sent pipe 1:7',
    ],
    ['read in vain', shown('read', undefined, { result: -11, takesFrom: stream }), ''],
    [
      'splice',
      shown('splice', undefined, { result: 5, takesFrom: stream, sendsInto: stream }),
      'store sent pipe 1:7, store taken pipe 1:7',
    ],
    [
      'write to /dev/null',
      shown('write', '/dev/null', { result: 5, sendsInto: stream, isOpen: true }),
      '',
    ],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});

describe('the system, timers, queues and ioctl', () => {
  const NAME = "the system's name";
  const open = { isOpen: true, file: SOME_FILE };
  const openFile = { key: 'open 1', appends: false };
  const [FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FICLONE, TCGETS] = [
    0x80086601, 0x40086602, 0x40049409, 0x5401,
  ];
  const ioctl = (request: number, result = 0): string =>
    shown('ioctl', '/f', { ...open, args: [3, request], result });
  it.each([
    ['uname', shown('uname', undefined), `load setting ${NAME}`],
    ['sethostname', shown('sethostname', undefined), `store setting ${NAME}`],
    ['sethostname in vain', shown('sethostname', undefined, { result: -1 }), ''],
    ['mount', shown('mount', '/mnt'), "store setting the system's mounts"],
    ['timerfd_settime', shown('timerfd_settime', undefined, { openFile }), 'store setting a timer'],
    ['timerfd_gettime', shown('timerfd_gettime', undefined, { openFile }), 'load setting a timer'],
    ['mq_notify', shown('mq_notify', '/dev/mqueue/q', open), 'store setting /dev/mqueue/q'],
    [
      'mq_notify, if another is notified',
      shown('mq_notify', '/dev/mqueue/q', { ...open, result: -16 }),
      'load setting /dev/mqueue/q',
    ],
    ['flags of a file', ioctl(FS_IOC_GETFLAGS), 'load attributes /f'],
    ['new flags', ioctl(FS_IOC_SETFLAGS), 'store attributes /f'],
    ['a clone', ioctl(FICLONE), 'store contents /f, ~store size /f'],
    ['a terminal', ioctl(TCGETS), ''],
    ['in vain', ioctl(FS_IOC_SETFLAGS, -1), ''],
  ])('%s', (_, operations, expected) => expect(operations).toBe(expected));
});
