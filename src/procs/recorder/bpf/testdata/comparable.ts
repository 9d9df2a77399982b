/**
 * Makes two recordings of the same program comparable: what differs from run to run is left out
 * (numbers of events, times, addresses) or renamed. Tasks are named by their place in the tree,
 * files by the order in which they appear, and each task has a list of its own, since nobody knows
 * how tasks interleave.
 *
 *   'root.001': ['start vfork', 'execve "/bin/cat" (0,0,0) = 0 …', 'exec as "cat\\0f"', …, 'exit 0']
 *
 * When a signal or the end of a child reaches a task is a matter of luck: signals and waits that
 * collected somebody are sorted into a list of their own, other waits left out. So is SIGCHLD, of
 * which the kernel makes one of two. Only for tests.
 */
import type { Tid } from '../../../../linux/ids.ts';
import { Signal } from '../../../../linux/signals.ts';
import { syscallName } from '../../../../linux/syscalls.ts';
import type { CallRecord } from '../../../../trace/records/call.ts';
import type { KernelFile } from '../../../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../../../trace/records/record.ts';

export type Comparable = Record<string, string[]>;

/** How many arguments calls have, if not three: in further registers stands what was there before. */
const ARGUMENTS: Record<string, number> = {
  ...Object.fromEntries(['unlink', 'rmdir', 'chdir', 'fchdir', 'chroot'].map((name) => [name, 1])),
  ...Object.fromEntries(
    ['access', 'stat', 'lstat', 'creat', 'truncate', 'ftruncate', 'mkdir', 'rename', 'link', 'kill']
      .concat(['symlink', 'chmod', 'fchmod', 'tkill', 'flock', 'fcntl', 'fchmodat'])
      .map((name) => [name, 2]),
  ),
  ...Object.fromEntries(
    ['openat', 'openat2', 'pread64', 'pwrite64', 'newfstatat', 'readlinkat', 'renameat', 'wait4']
      .concat(['rt_sigtimedwait'])
      .map((name) => [name, 4]),
  ),
  ...Object.fromEntries(
    ['statx', 'linkat', 'renameat2', 'execveat', 'fchownat', 'waitid'].map((name) => [name, 5]),
  ),
};
/** Calls that take or give the numbers of tasks. */
const WITH_TASKS = new Set(['wait4', 'waitid', 'kill', 'tkill', 'tgkill', 'rt_sigqueueinfo']);

export function comparable(records: readonly TraceRecord[]): Comparable {
  const tasks = new TaskNames();
  const streams = new Map<string, TraceRecord[]>();
  for (const record of records) {
    if (record.kind === 'start') tasks.add(record.tid, record.parentTid);
    const name = tasks.of(record.kind === 'signal' ? record.to : record.tid);
    const stream = isTimely(record) ? name : `${name}, at some time`;
    if (isLuck(record)) continue;
    streams.set(stream, [...(streams.get(stream) ?? []), record]);
  }
  const files = new FileNames();
  const inTreeOrder = [...streams].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    inTreeOrder.map(([name, list]) => {
      const lines = list.map((record) => told(record, tasks, files));
      return [name, list.every(isTimely) ? lines : lines.sort()];
    }),
  );
}

const isWait = (record: TraceRecord): boolean =>
  record.kind === 'call' && ['wait4', 'waitid'].includes(syscallName(record.number));

/** Whether its place among the others of its task is the program's doing. */
const isTimely = (record: TraceRecord): boolean => record.kind !== 'signal' && !isWait(record);

function isLuck(record: TraceRecord): boolean {
  if (record.kind === 'signal') return record.signal === Signal.SIGCHLD;
  return isWait(record) && record.kind === 'call' && record.reaped === undefined;
}

function told(record: TraceRecord, tasks: TaskNames, files: FileNames): string {
  switch (record.kind) {
    case 'start':
      return `start ${record.how}`;
    case 'exec':
      return `exec as ${JSON.stringify(record.commandLine)}`;
    case 'exit':
      return `exit ${record.status}`;
    case 'signal':
      return `signal ${record.signal} from ${tasks.of(record.from)}`;
    case 'note':
      return `note ${record.text}`;
    case 'call':
      return toldCall(record, tasks, files);
  }
}

function toldCall(call: CallRecord, tasks: TaskNames, files: FileNames): string {
  const name = syscallName(call.number);
  const number = (value: number): string =>
    WITH_TASKS.has(name) ? tasks.ifOne(value) : String(value);
  const paths = [call.path, call.path2].filter((path) => path !== undefined);
  return [
    name,
    ...paths.map((path) => JSON.stringify(path)),
    `(${call.args.slice(0, ARGUMENTS[name] ?? 3).map(number)})`,
    `= ${number(call.result)}`,
    `file ${files.of(call.file)}`,
    `file2 ${files.of(call.file2)}`,
    call.created ? 'created' : '',
    call.reaped === undefined ? '' : `reaped ${tasks.ifOne(call.reaped)}`,
  ].join(' ');
}

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

  of(file: KernelFile | undefined): string {
    if (!file) return '-';
    const key = `${file.device}:${file.inode}`;
    const name = this.#names.get(key) ?? `#${this.#names.size + 1}`;
    this.#names.set(key, name);
    return `${name}/${file.mode.toString(8)}`;
  }
}
