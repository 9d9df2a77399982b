/**
 * poll, select and epoll: whoever is told that something can be read comes after whoever put it
 * there, even if it never reads it.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { Pid } from '../../../linux/ids.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import type { Descriptors } from './descriptors.ts';
import type { Streams } from './streams.ts';

/** Source: <asm-generic/poll.h>; `struct pollfd`. */
const POLLIN = 1;
const POLLHUP = 0x10;
const POLLFD = { fd: 0, revents: 6, size: 8 } as const;
/** Source: <linux/eventpoll.h>; `struct epoll_event` is packed. */
const EPOLL_CTL_DEL = 2;
const EPOLL_EVENT = { events: 0, data: 4, size: 12 } as const;

const NONE: readonly EventId[] = [];

export class Readiness {
  readonly #streams: Streams;
  readonly #descriptors: Descriptors;
  /** By epoll descriptor, and then by the value that the program chose: what it stands for. */
  readonly #registered = new Map<number, Map<bigint, KernelFile>>();

  constructor(streams: Streams, descriptors: Descriptors) {
    this.#streams = streams;
    this.#descriptors = descriptors;
  }

  causesOf(call: CallRecord, name: string, process: Pid, reader: TaskId): readonly EventId[] {
    if (call.result <= 0 || call.data === undefined) return NONE;
    const files = this.#readyFiles(call, name, process);
    return files.flatMap((file) => this.#streams.toldOf(file, reader));
  }

  /** The number of an old descriptor is used again. */
  created({ id }: KernelFile): void {
    if (id !== 0) this.#registered.delete(id);
  }

  note({ args, data, file, file2, result }: CallRecord, name: string): void {
    if (name !== 'epoll_ctl' || result < 0 || !file || !file2) return;
    const bytes = data === undefined ? undefined : encodeBytes(data);
    if (args[1] === EPOLL_CTL_DEL || !bytes || bytes.length < EPOLL_EVENT.size) return;
    const registered = this.#registered.get(file.id) ?? new Map<bigint, KernelFile>();
    registered.set(bytes.readBigUInt64LE(EPOLL_EVENT.data), file2);
    this.#registered.set(file.id, registered);
  }

  #readyFiles({ data = '', file }: CallRecord, name: string, process: Pid): KernelFile[] {
    const bytes = encodeBytes(data);
    switch (name) {
      case 'poll':
      case 'ppoll':
        return polled(bytes).flatMap((fd) => this.#descriptors.fileAt(process, fd) ?? []);
      case 'select':
      case 'pselect6':
        return selected(bytes).flatMap((fd) => this.#descriptors.fileAt(process, fd) ?? []);
      case 'epoll_wait':
      case 'epoll_pwait':
      case 'epoll_pwait2': {
        const registered = file && this.#registered.get(file.id);
        return eventData(bytes).flatMap((value) => registered?.get(value) ?? []);
      }
    }
    return [];
  }
}

function polled(bytes: Buffer): number[] {
  const ready: number[] = [];
  for (let at = 0; at + POLLFD.size <= bytes.length; at += POLLFD.size) {
    const happened = bytes.readUInt16LE(at + POLLFD.revents);
    if (happened & (POLLIN | POLLHUP)) ready.push(bytes.readInt32LE(at + POLLFD.fd));
  }
  return ready;
}

/** The set of those that can be read is a bit for each. */
function selected(bytes: Buffer): number[] {
  const ready: number[] = [];
  for (const [index, byte] of bytes.entries()) {
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) ready.push(index * 8 + bit);
  }
  return ready;
}

function eventData(bytes: Buffer): bigint[] {
  const values: bigint[] = [];
  for (let at = 0; at + EPOLL_EVENT.size <= bytes.length; at += EPOLL_EVENT.size) {
    if (bytes.readUInt32LE(at) & (POLLIN | POLLHUP)) {
      values.push(bytes.readBigUInt64LE(at + EPOLL_EVENT.data));
    }
  }
  return values;
}
