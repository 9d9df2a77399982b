/**
 * Makes two recordings of the same program comparable: what differs from run to run is left out
 * (numbers of events, times, addresses) or renamed. Tasks are named by their place in the tree,
 * files by the order in which they appear, and each task has a list of its own, since nobody knows
 * how tasks interleave.
 *
 *   'root.001': ['start vfork', 'execve "/bin/cat" (0,0,0) = 0 …', 'exec as "cat\\0f"', …, 'exit 0']
 *
 * When a signal or the end of a child reaches a task is a matter of luck: signals and waits that
 * collected somebody are sorted into a list of their own, other waits left out. Only for tests.
 */
import { encodeBytes } from '../../../../base/bytes.ts';
import type { Tid } from '../../../../linux/ids.ts';
import { Signal } from '../../../../linux/signals.ts';
import { syscallName } from '../../../../linux/syscalls.ts';
import type { CallRecord } from '../../../../trace/records/call.ts';
import type { KernelFile } from '../../../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../../../trace/records/record.ts';
import { hasOpened, recordedCall } from '../../../model/recorded-calls.ts';

export type Comparable = Record<string, string[]>;

/** Calls that take or give the numbers of tasks. */
const WITH_TASKS = new Set(
  ['wait4', 'waitid', 'kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo']
    .concat(['getppid', 'setpgid', 'getpgid', 'getpgrp', 'setsid', 'getsid', 'pidfd_open'])
    .concat(['prlimit64', 'getpriority', 'setpriority']),
);
/** Calls that give the numbers of queues, segments and the like, which count up, and that take them. */
const GIVING_KEYS = /^(shm|msg|sem)get$/;
const TAKING_KEYS = /^(shm|msg|sem)(at|ctl|snd|rcv|op|timedop)$/;

export function comparable(records: readonly TraceRecord[]): Comparable {
  const tasks = new TaskNames();
  const streams = new Map<string, TraceRecord[]>();
  for (const record of records) {
    if (record.kind === 'start') tasks.add(record.tid, record.parentTid);
    const name = tasks.of(record.kind === 'signal' ? record.to : record.tid);
    const stream = isTimely(record) ? name : `${name}, at some time`;
    if (isLuck(record, tasks)) continue;
    streams.set(stream, [...(streams.get(stream) ?? []), record]);
  }
  const files = new FileNames(new DescriptionNames(records, tasks));
  const inTreeOrder = [...streams].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    inTreeOrder.map(([name, list]) => {
      const lines = list.map((record) => told(record, tasks, files));
      return [name, list.every(isTimely) ? lines : lines.sort()];
    }),
  );
}

/** The kernel makes one of two SIGCHLDs; alarms come when they come. */
const LUCKY_SIGNALS: readonly number[] = [Signal.SIGCHLD, Signal.SIGALRM];

const isWait = (record: TraceRecord): boolean =>
  record.kind === 'call' && ['wait4', 'waitid'].includes(syscallName(record.number));

/** Whether its place among the others of its task is the program's doing. */
const isTimely = (record: TraceRecord): boolean => record.kind !== 'signal' && !isWait(record);

/** pthread_join waits for a thread's end, unless that has come already. */
const joins = (record: TraceRecord, tasks: TaskNames): boolean =>
  record.kind === 'call' &&
  syscallName(record.number) === 'futex' &&
  tasks.ifOne(record.args[2] ?? 0) !== String(record.args[2]);

function isLuck(record: TraceRecord, tasks: TaskNames): boolean {
  if (record.kind === 'signal') return LUCKY_SIGNALS.includes(record.signal);
  if (joins(record, tasks)) return true;
  return isWait(record) && record.kind === 'call' && record.reaped === undefined;
}

function told(record: TraceRecord, tasks: TaskNames, files: FileNames): string {
  switch (record.kind) {
    case 'start':
      return `start ${record.how} ${record.ownPid ?? ''}`;
    case 'exec':
      return `exec as ${JSON.stringify(record.commandLine)}`;
    case 'exit':
      return `exit ${record.status}`;
    case 'signal':
      return `signal ${record.signal} from ${tasks.of(record.from)}`;
    case 'input':
      return `input ${JSON.stringify(record.data)}`;
    case 'random':
      return `${encodeBytes(record.data).length} random bytes`;
    case 'received':
    case 'sent':
      return `${record.kind} by ${files.socket(record.socket)} ${JSON.stringify(record.data)}`;
    case 'note':
      return `note ${record.text}`;
    case 'call':
      return toldCall(record, tasks, files);
  }
}

function toldCall(call: CallRecord, tasks: TaskNames, files: FileNames): string {
  const name = syscallName(call.number);
  const number = (value: number, index = -1): string => {
    const keys = index === 0 ? TAKING_KEYS : GIVING_KEYS;
    if (index <= 0 && value >= 0 && keys.test(name)) return 'key';
    if (index < 0 && name === 'time') return 'now';
    return WITH_TASKS.has(name) ? tasks.ifOne(value) : String(value);
  };
  const paths = [call.path, call.path2].filter((path) => path !== undefined);
  return [
    name,
    ...paths.map((path) => JSON.stringify(path)),
    `(${call.args.map(number)})`,
    `= ${number(call.result)}`,
    `file ${files.of(call, 'file')}`,
    `file2 ${files.of(call, 'file2')}`,
    call.created ? 'created' : '',
    call.reaped === undefined ? '' : `reaped ${tasks.ifOne(call.reaped)}`,
    call.position === undefined ? '' : `position ${call.position}`,
    call.data === undefined ? '' : `data ${toldData(name, call.data)}`,
  ].join(' ');
}

/**
 * In hexadecimal. Where a handler is differs from run to run, and so does what stands behind the
 * name in a socket's address.
 */
function toldData(name: string, data: string): string {
  const bytes = encodeBytes(data);
  if (MADE_UP.has(name)) return `${bytes.length} bytes that the kernel made up`;
  const isAddress = name === 'connect' || name === 'bind';
  const nameEnd = isAddress ? bytes.indexOf(0, 3) : -1;
  if (nameEnd > 0) return bytes.toString('hex', 0, nameEnd);
  const isHandler = name === 'rt_sigaction' && bytes.readBigUInt64LE(0) > 1n;
  return isHandler ? 'handler' : bytes.toString('hex');
}

const MADE_UP = new Set(['getrandom', 'gettimeofday', 'clock_gettime']);

class TaskNames {
  readonly #names = new Map<number, string>();
  readonly #children = new Map<string, number>();

  add(task: Tid, parent: Tid | undefined): void {
    if (!parent) return void this.#names.set(task, 'root');
    const parentName = this.of(parent);
    const born = (this.#children.get(parentName) ?? 0) + 1;
    this.#children.set(parentName, born);
    this.#names.set(task, `${parentName}.${String(born).padStart(3, '0')}`);
  }

  of(task: number): string {
    return this.#names.get(task) ?? (task === 0 ? 'the kernel' : 'somebody');
  }

  ifOne(value: number): string {
    return this.#names.get(value) ?? String(value);
  }
}

class FileNames {
  readonly #names = new Map<string, string>();
  /** All sockets are on one device. */
  readonly #sockets = new Map<number, string>();
  readonly #descriptions: DescriptionNames;

  constructor(descriptions: DescriptionNames) {
    this.#descriptions = descriptions;
  }

  socket(inode: number): string {
    return this.#sockets.get(inode) ?? 'a socket that nobody knows';
  }

  of(call: CallRecord, which: 'file' | 'file2'): string {
    const file = call[which];
    if (!file) return '-';
    const key = `${file.device}:${file.inode}`;
    const name = this.#names.get(key) ?? `#${this.#names.size + 1}`;
    this.#names.set(key, name);
    this.#sockets.set(file.inode, name);
    return `${name}/${file.mode.toString(8)}/${this.#descriptions.of(call, which)}`;
  }
}

/**
 * Open files by who opened them: 'root.001:2' is the second that this task opened. The kernel gives
 * the address of one that is gone to the next, so that a new one has to be known as such.
 */
class DescriptionNames {
  readonly #opened = new Map<string, number>();
  readonly #current = new Map<number, string>();
  readonly #names = new Map<CallRecord, { file: string; file2: string }>();

  constructor(records: readonly TraceRecord[], tasks: TaskNames) {
    for (const record of records) {
      if (record.kind !== 'call') continue;
      const shape = recordedCall(record.number)!;
      const task = tasks.of(record.tid);
      const isNew = hasOpened(shape, record) && !shape.duplicates;
      if (shape.pair) this.#open(record.file, task);
      if (shape.pair || isNew) this.#open(record.file2, task);
      this.#names.set(record, { file: this.#now(record.file), file2: this.#now(record.file2) });
    }
  }

  of(call: CallRecord, which: 'file' | 'file2'): string {
    return this.#names.get(call)?.[which] ?? '?';
  }

  #open(file: KernelFile | undefined, task: string): void {
    if (!file) return;
    const number = (this.#opened.get(task) ?? 0) + 1;
    this.#opened.set(task, number);
    this.#current.set(file.id, `${task}:${number}`);
  }

  #now(file: KernelFile | undefined): string {
    if (!file || file.id === 0) return 'not open';
    return this.#current.get(file.id) ?? 'given';
  }
}
