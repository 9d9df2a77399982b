/**
 * POSIX's message queues once they are open, and System V's shared memory, queues and semaphores: found by a key, created, used, removed by an id.
 * What goes through a queue is in streams.ts; what is in shared memory, no system call tells.
 */
import { type Family, type Model, NO_OPERATIONS, succeeded } from '../modelled-call.ts';
import { commuting, load, named, type Operation, store, type Thing } from '../operation.ts';

/** Source: <linux/ipc.h>. */
const IPC_PRIVATE = 0;
const IPC_CREAT = 0o1000;
const IPC_EXCL = 0o2000;
const IPC_RMID = 0;
const IPC_SET = 1;

type Kind = 'shared memory' | 'message queue' | 'semaphores';

const keyed = (kind: Kind, key: number): Thing => named(`${kind} with key ${key}`);
const numbered = (kind: Kind, id: number): Thing => named(`${kind} ${id}`);

/** Whether it made a new one is not told; whoever may have is taken to have. */
const get =
  (kind: Kind, flagsAt: number): Model =>
  ({ call }): Operation[] => {
    const key = call.args[0] ?? 0;
    if (key === IPC_PRIVATE) return NO_OPERATIONS;
    const flags = call.args[flagsAt] ?? 0;
    const thing = keyed(kind, key);
    if (call.result < 0 || !(flags & IPC_CREAT)) return [load('entry', thing)];
    return [flags & IPC_EXCL ? store('entry', thing) : commuting(store('entry', thing))];
  };

const use =
  (kind: Kind): Model =>
  ({ call }) => [load('life', numbered(kind, call.args[0] ?? 0))];

const control =
  (kind: Kind, commandAt: number): Model =>
  (modelled) => {
    const { args } = modelled.call;
    const thing = numbered(kind, args[0] ?? 0);
    const command = (args[commandAt] ?? 0) & 0xff;
    if (!succeeded(modelled)) return [load('life', thing)];
    if (command === IPC_RMID) return [store('life', thing)];
    return command === IPC_SET ? [store('attributes', thing)] : [load('life', thing)];
  };

/** Only one process can be notified of a queue. */
const notify: Model = (modelled) => {
  const { target } = modelled;
  if (!target) return NO_OPERATIONS;
  return [succeeded(modelled) ? store('setting', target) : load('setting', target)];
};

export const IPC: Family = {
  mq_notify: notify,
  shmget: get('shared memory', 2),
  shmat: use('shared memory'),
  shmctl: control('shared memory', 1),
  msgget: get('message queue', 1),
  msgsnd: use('message queue'),
  msgrcv: use('message queue'),
  msgctl: control('message queue', 1),
  semget: get('semaphores', 2),
  semop: use('semaphores'),
  semtimedop: use('semaphores'),
  semctl: control('semaphores', 2),
};
