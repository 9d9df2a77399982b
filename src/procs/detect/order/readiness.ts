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

  note(call: CallRecord, name: string): void {
    const { file, file2 } = call;
    const value = epollRegistration(call, name);
    if (value === undefined || !file || !file2) return;
    const registered = this.#registered.get(file.id) ?? new Map<bigint, KernelFile>();
    registered.set(value, file2);
    this.#registered.set(file.id, registered);
  }

  #readyFiles({ data = '', file }: CallRecord, name: string, process: Pid): KernelFile[] {
    const bytes = encodeBytes(data);
    const registered = file && this.#registered.get(file.id);
    return [
      ...readyDescriptors(bytes, name).flatMap((fd) => this.#descriptors.fileAt(process, fd) ?? []),
      ...readyValues(bytes, name).flatMap((value) => registered?.get(value) ?? []),
    ];
  }
}

/** The value by which epoll will tell of the call's `file2`, if it is about that. */
export function epollRegistration(
  { args, data, result }: CallRecord,
  name: string,
): bigint | undefined {
  if (name !== 'epoll_ctl' || result < 0 || args[1] === EPOLL_CTL_DEL) return undefined;
  const bytes = encodeBytes(data ?? '');
  return bytes.length < EPOLL_EVENT.size ? undefined : bytes.readBigUInt64LE(EPOLL_EVENT.data);
}

/** The descriptors that can be read, according to poll and select; `bytes` is what they have left. */
export function readyDescriptors(bytes: Buffer, name: string): readonly number[] {
  if (name === 'poll' || name === 'ppoll') return polled(bytes);
  return name === 'select' || name === 'pselect6' ? selected(bytes) : [];
}

/** The same with epoll: what the program has chosen to know them by. */
export function readyValues(bytes: Buffer, name: string): readonly bigint[] {
  return name.startsWith('epoll_') && name !== 'epoll_ctl' ? eventData(bytes) : [];
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
