/**
 * Which process holds which end of a pipe or socket, and which event descriptor. A reader sees the end of a stream when the last
 * process that could write into it has let go of it, by closing it, by exec or by ending:
 *
 *   out=$( (sleep 1; echo x >f) & )     the shell reads until the background process has ended,
 *   cat f                               so this comes after the write of f
 *
 * Ends that were open before the recording began, or were passed through a socket, are not known.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid } from '../../../linux/ids.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { typeOf } from '../../model/file-type.ts';
import { OpenFlag, openFlags } from '../../model/open-flags.ts';
import { GiversByKey } from './givers.ts';

interface End {
  file: KernelFile;
  /** What it can write into; undefined for the reading end of a pipe, and for what has no end. */
  writesInto: string | undefined;
  closesOnExec: boolean;
}

/** Source: <asm-generic/fcntl.h>; SOCK_CLOEXEC, EFD_CLOEXEC and the like have the same value. */
const O_CLOEXEC = 0o2000000;
/** Source: <linux/fcntl.h>. */
const F_DUPFD = 0;
const F_SETFD = 2;
const F_DUPFD_CLOEXEC = 1030;
const FD_CLOEXEC = 1;
/** Source: <linux/close_range.h>. */
const CLOSE_RANGE_CLOEXEC = 4;

type Table = Map<number, End>;

export const streamKey = ({ device, inode }: KernelFile, type: string): string =>
  `${type} ${device}:${inode}`;

export class Descriptors {
  readonly #tables = new Map<Pid, Table>();
  /** For each stream, when processes let go of its writing end. */
  readonly #releases: GiversByKey;

  constructor(graph: HappensBeforeGraph) {
    this.#releases = new GiversByKey(graph);
  }

  /** What is open under a number, if it is one of those. */
  fileAt(process: Pid, fd: number): KernelFile | undefined {
    return this.#tables.get(process)?.get(fd)?.file;
  }

  releasesOf(stream: string, reader: TaskId): readonly EventId[] {
    return this.#releases.newTo(reader, stream);
  }

  forked(parent: Pid | undefined, child: Pid): void {
    const table = parent === undefined ? undefined : this.#tables.get(parent);
    if (table && table.size > 0) this.#tables.set(child, new Map(table));
    else this.#tables.delete(child);
  }

  execed(process: Pid, event: EventId): void {
    for (const [fd, { closesOnExec }] of this.#tables.get(process) ?? []) {
      if (closesOnExec) this.#close(process, fd, event);
    }
  }

  exited(process: Pid, event: EventId): void {
    for (const fd of this.#tables.get(process)?.keys() ?? []) this.#close(process, fd, event);
    this.#tables.delete(process);
  }

  note(call: CallRecord, name: string, process: Pid, event: EventId): void {
    const { args, result } = call;
    if (result < 0) return;
    const [first = 0, second = 0, third = 0] = args;
    switch (name) {
      case 'pipe':
      case 'pipe2':
        return this.#opened(process, call, name === 'pipe' ? 0 : second, 'pipe');
      case 'socketpair':
        return this.#opened(process, call, second, 'socket');
      case 'socket':
      case 'accept':
      case 'accept4': {
        const flags = name === 'socket' ? second : name === 'accept4' ? (args[3] ?? 0) : 0;
        return this.#open(process, result, call.file2, flags);
      }
      case 'eventfd':
      case 'eventfd2':
      case 'signalfd':
      case 'signalfd4':
      case 'timerfd_create':
      case 'inotify_init':
      case 'inotify_init1': {
        const flags =
          name === 'signalfd4' ? (args[3] ?? 0) : name === 'inotify_init1' ? first : second;
        return this.#open(process, result, call.file2, flags);
      }
      case 'creat':
      case 'open':
      case 'openat':
      case 'openat2':
        return this.#open(process, result, call.file2, openFlags(call));
      case 'close':
        return this.#close(process, first, event);
      case 'close_range':
        return this.#closeRange(process, first, second, third, event);
      case 'dup':
      case 'dup2':
      case 'dup3':
        return this.#duplicate(process, first, result, event, name === 'dup3' ? third : 0);
      case 'fcntl':
        return this.#control(process, first, second, third, result, event);
      case 'shutdown':
        if (second > 0) this.#release(this.#tables.get(process)?.get(first), event);
    }
  }

  #opened(process: Pid, { data, file, file2 }: CallRecord, flags: number, type: string): void {
    const numbers = data === undefined ? Buffer.alloc(0) : encodeBytes(data);
    if (numbers.length < 8 || !file) return;
    const closesOnExec = (flags & O_CLOEXEC) !== 0;
    const other = file2 ?? file;
    const isPipe = type === 'pipe';
    const reading = { file, writesInto: isPipe ? undefined : streamKey(file, type), closesOnExec };
    const writing = { file: other, writesInto: streamKey(other, type), closesOnExec };
    for (const end of [file, other]) this.#releases.forget(streamKey(end, type));
    this.#table(process).set(numbers.readInt32LE(0), reading);
    this.#table(process).set(numbers.readInt32LE(4), writing);
  }

  /** Ordinary files are left out, but what was under the number is gone. */
  #open(process: Pid, fd: number, file: KernelFile | undefined, flags: number): void {
    const type = file && typeOf(file);
    if (!file || (type !== 'pipe' && type !== 'socket' && type !== 'anonymous')) {
      this.#tables.get(process)?.delete(fd);
      return;
    }
    const canWrite = type === 'pipe' && (flags & (OpenFlag.O_WRONLY | OpenFlag.O_RDWR)) !== 0;
    const writesInto = canWrite || type === 'socket' ? streamKey(file, type) : undefined;
    if (type === 'socket') this.#releases.forget(streamKey(file, type));
    this.#table(process).set(fd, { file, writesInto, closesOnExec: (flags & O_CLOEXEC) !== 0 });
  }

  #duplicate(process: Pid, from: number, to: number, event: EventId, flags: number): void {
    if (from === to) return;
    this.#close(process, to, event);
    const end = this.#tables.get(process)?.get(from);
    if (end) this.#table(process).set(to, { ...end, closesOnExec: (flags & O_CLOEXEC) !== 0 });
  }

  #control(
    process: Pid,
    fd: number,
    command: number,
    arg: number,
    to: number,
    event: EventId,
  ): void {
    if (command === F_DUPFD || command === F_DUPFD_CLOEXEC) {
      const flags = command === F_DUPFD ? 0 : O_CLOEXEC;
      this.#duplicate(process, fd, to, event, flags);
    } else if (command === F_SETFD) {
      const end = this.#tables.get(process)?.get(fd);
      if (end) {
        this.#table(process).set(fd, { ...end, closesOnExec: (arg & FD_CLOEXEC) !== 0 });
      }
    }
  }

  #closeRange(process: Pid, first: number, last: number, flags: number, event: EventId): void {
    for (const [fd, end] of [...(this.#tables.get(process) ?? [])]) {
      if (fd < first || fd > last >>> 0) continue;
      if (flags & CLOSE_RANGE_CLOEXEC) {
        this.#table(process).set(fd, { ...end, closesOnExec: true });
      } else this.#close(process, fd, event);
    }
  }

  #close(process: Pid, fd: number, event: EventId): void {
    const table = this.#tables.get(process);
    const end = table?.get(fd);
    if (!table || !end) return;
    table.delete(fd);
    this.#release(end, event);
  }

  #release(end: End | undefined, event: EventId): void {
    if (end?.writesInto === undefined) return;
    this.#releases.add(end.writesInto, event);
  }

  #table(process: Pid): Table {
    let table = this.#tables.get(process);
    if (!table) {
      table = new Map();
      this.#tables.set(process, table);
    }
    return table;
  }
}
