/** Writes recordings by hand, a line per step, for tests of what reads them. */
import { decodeBytes } from '../../base/bytes.ts';
import { nanoseconds, pid, type Tid, tid } from '../../linux/ids.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { KernelFile } from '../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { SignalRecord } from '../../trace/records/signal.ts';
import type { StartRecord } from '../../trace/records/start.ts';

export const SOME_FILE: KernelFile = { id: 0, device: 1, inode: 1, mode: 0o100644 };

type CallDetails = Partial<Omit<CallRecord, 'kind' | 'tid' | 'number' | 'path'>>;

export function callRecord(
  task: number,
  name: string,
  path: string | undefined,
  details: CallDetails = {},
  at = 0,
): CallRecord {
  return {
    kind: 'call',
    tid: tid(task),
    number: syscallNumber(name),
    entry: at,
    exit: at + 1,
    enteredAt: nanoseconds(at),
    leftAt: nanoseconds(at + 1),
    args: [],
    result: 0,
    path,
    ...details,
  };
}

/** A stream for each number; the same number is the same stream. */
export const pipe = (number: number): KernelFile => ({
  ...SOME_FILE,
  inode: number,
  mode: 0o010600,
});
export const socket = (number: number): KernelFile => ({
  ...SOME_FILE,
  inode: number,
  mode: 0o140777,
});

/** Numbers as a program has them in memory, of so many bytes each. */
export function words(size: 2 | 4 | 8, ...numbers: readonly number[]): string {
  const bytes = Buffer.alloc(size * numbers.length);
  for (const [index, number] of numbers.entries()) {
    if (size === 8) bytes.writeBigInt64LE(BigInt(number), index * size);
    else bytes.writeIntLE(number, index * size, size);
  }
  return decodeBytes(bytes);
}

/** Each method appends what a recorder would have seen, one step after the other. */
export class Script {
  readonly records: TraceRecord[] = [];
  #sequence = 0;
  readonly #opened = new Map<string, KernelFile>();

  constructor(root = 1) {
    this.#start(root, 0, 'root');
    this.exec(root, 'root');
  }

  fork(parent: number, child: number): this {
    this.#start(child, parent, 'fork');
    return this;
  }

  vfork(parent: number, child: number): this {
    this.#start(child, parent, 'vfork');
    return this;
  }

  /** A further thread of the process. */
  thread(process: number, thread: number): this {
    this.#start(thread, process, 'thread', process);
    return this;
  }

  exec(task: number, ...command: string[]): this {
    const path = `/bin/${command[0]}`;
    this.records.push({ kind: 'exec', ...this.#task(task), path, commandLine: command.join('\0') });
    return this;
  }

  call(task: number, name: string, path?: string, details: CallDetails = {}): this {
    const at = this.#next();
    this.#next();
    this.records.push(callRecord(task, name, path, details, at));
    return this;
  }

  /** A place in the recording whose order with another one is asked for, see ordered.ts. */
  mark(task: number, name: 'first' | 'then'): this {
    return this.call(task, 'stat', `/${name}`);
  }

  /** All of a file, or so many bytes from some place on. */
  read(task: number, name: string, from?: number, length = 1): this {
    return this.#transfer('read', task, name, from, length);
  }

  write(task: number, name: string, from?: number, length = 1): this {
    return this.#transfer('write', task, name, from, length);
  }

  /** Of which all bytes are known; its ends have these numbers. */
  makePipe(task: number, number: number, ends: readonly [number, number] = [3, 4]): this {
    const made = { file: pipe(number), file2: pipe(number), data: words(4, ...ends) };
    return this.call(task, 'pipe2', undefined, made);
  }

  /** Through a pipe. */
  send(task: number, number: number, length = 1): this {
    const moved = { args: [0, 0, length], result: length };
    return this.call(task, 'write', undefined, { ...moved, file: pipe(number) });
  }

  receive(task: number, number: number, length = 1): this {
    const moved = { args: [0, 0, length], result: length };
    return this.call(task, 'read', undefined, { ...moved, file: pipe(number) });
  }

  list(task: number, name: string): this {
    return this.call(task, 'getdents64', undefined, { result: 1, file: this.#open(name) });
  }

  exit(task: number, code = 0): this {
    this.records.push({ kind: 'exit', ...this.#task(task), status: code << 8 });
    return this;
  }

  /** By a signal. */
  die(task: number, signal = 9): this {
    this.records.push({ kind: 'exit', ...this.#task(task), status: signal });
    return this;
  }

  /** For any child, or for that one only. */
  wait(task: number, child: number, which = -1): this {
    const collected = { args: [which], result: child, reaped: pid(child) };
    return this.call(task, 'wait4', undefined, collected);
  }

  kill(task: number, target: number, signal = 10): this {
    return this.call(task, 'kill', undefined, { args: [target, signal] });
  }

  signal(from: number, to: number, signal = 10, phase: SignalRecord['phase'] = 'delivered'): this {
    const { sequence, time } = this.#task(to);
    const ends = { from: tid(from), to: tid(to) };
    this.records.push({ kind: 'signal', sequence, time, ...ends, signal, phase });
    return this;
  }

  #transfer(call: string, task: number, name: string, from?: number, length = 1): this {
    const position = from === undefined ? undefined : from + length;
    const file = this.#open(name);
    const moved = { args: [0, 0, length], result: length, position };
    return this.call(task, call, undefined, { ...moved, file });
  }

  /** A file that the root process opened before anything else happened, so that it has a name. */
  #open(name: string): KernelFile {
    const known = this.#opened.get(name);
    if (known) return known;
    const file = { ...SOME_FILE, inode: 1000 + this.#opened.size };
    this.#opened.set(name, file);
    const root = this.records[0] as StartRecord;
    this.records.push({
      ...callRecord(root.tid, 'openat', name, { result: 3, file2: file }),
      exit: 0,
    });
    return file;
  }

  #start(task: number, parent: number, how: StartRecord['how'], process = task): void {
    this.records.push({
      kind: 'start',
      ...this.#task(task),
      pid: pid(process),
      parentTid: tid(parent),
      how,
      cloneFlags: 0,
    });
  }

  #task(task: number): { tid: Tid; sequence: number; time: ReturnType<typeof nanoseconds> } {
    const sequence = this.#next();
    return { tid: tid(task), sequence, time: nanoseconds(sequence) };
  }

  #next(): number {
    return ++this.#sequence;
  }
}
