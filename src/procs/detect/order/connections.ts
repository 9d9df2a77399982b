/**
 * Who is connected to whom: which socket is the other end of which, and which address is meant. The
 * kernel has a queue for each listening socket, so the first accept gets the first connection:
 *
 *   20: bind(3, /run/x), listen(3)     20 listens at /run/x
 *   21: connect(5, /run/x)             after the listen; waits in the queue
 *   20: accept(3) = 4                  after the connect; 4 and 21's 5 are the two ends
 *
 * Of connections that were made at the same time, nobody knows which came first: they have no known
 * other end, and whoever accepts one of them comes after all of them. A server whose port the kernel chose, and a connection from outside, have no known other end.
 */

import { errnoNumber } from '../../../linux/errno.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { addressIn } from './sockaddr.ts';

/** Source: <linux/net.h>. */
const SOCK_STREAM = 1;
const SOCK_TYPE_MASK = 0xf;
const EINPROGRESS = errnoNumber('EINPROGRESS') ?? 0;

interface Connection {
  client: string;
  event: EventId;
  exit: number;
  /** Others were made at the same time. */
  isUncertain: boolean;
}

interface Listener {
  since: EventId;
  queue: Connection[];
}

export const socketKey = ({ device, inode }: KernelFile): string => `socket ${device}:${inode}`;

export class Connections {
  readonly #types = new Map<string, number>();
  readonly #bound = new Map<string, string>();
  readonly #listeners = new Map<string, Listener>();
  readonly #peers = new Map<string, string>();

  peerOf(socket: string): string | undefined {
    return this.#peers.get(socket);
  }

  /** Whether bytes, and not messages, go through it. */
  isByteStream(socket: string): boolean {
    return this.#types.get(socket) === SOCK_STREAM;
  }

  addressOf({ file, data }: CallRecord, name: string): string | undefined {
    if (name === 'bind' || name === 'connect') return addressIn(data);
    return file && this.#bound.get(socketKey(file));
  }

  causesOf(call: CallRecord, name: string): EventId[] {
    const listener = this.#listenerFor(call, name);
    if (!listener) return [];
    if (name === 'connect') return isConnected(call) ? [listener.since] : [];
    const [first] = call.result >= 0 && isAccept(name) ? listener.queue : [];
    if (!first?.isUncertain) return first ? [first.event] : [];
    return listener.queue.filter(({ isUncertain }) => isUncertain).map(({ event }) => event);
  }

  /** The connections that wait to be accepted; undefined if it is no socket for that. */
  waitingAt(socket: string): EventId[] | undefined {
    const address = this.#bound.get(socket);
    const listener = address === undefined ? undefined : this.#listeners.get(address);
    return listener?.queue.map(({ event }) => event);
  }

  note(call: CallRecord, name: string, event: EventId): void {
    const { file, file2, args, result } = call;
    if (name === 'socket' && file2) this.#created(file2, args[1] ?? 0);
    if (name === 'socketpair' && result >= 0 && file && file2) {
      for (const one of [file, file2]) this.#created(one, args[1] ?? 0);
      this.#pair(socketKey(file), socketKey(file2));
    }
    if (!file) return;
    const address = this.addressOf(call, name);
    if (name === 'bind' && result >= 0 && address) this.#bound.set(socketKey(file), address);
    if (name === 'listen' && result >= 0 && address) {
      this.#listeners.set(address, { since: event, queue: [] });
    }
    const listener = this.#listenerFor(call, name);
    if (name === 'connect' && isConnected(call)) {
      const { entry, exit } = call;
      const meanwhile = listener?.queue.filter((other) => other.exit > entry) ?? [];
      for (const other of meanwhile) other.isUncertain = true;
      const isUncertain = meanwhile.length > 0;
      listener?.queue.push({ client: socketKey(file), event, exit, isUncertain });
    }
    if (isAccept(name) && result >= 0 && file2) this.#accepted(file, file2, listener);
  }

  #created(file: KernelFile, type: number): void {
    const key = socketKey(file);
    this.#peers.delete(key);
    this.#bound.delete(key);
    this.#types.set(key, type & SOCK_TYPE_MASK);
  }

  #accepted(listening: KernelFile, accepted: KernelFile, listener: Listener | undefined): void {
    this.#created(accepted, this.#types.get(socketKey(listening)) ?? 0);
    const first = listener?.queue.shift();
    if (first && !first.isUncertain) this.#pair(first.client, socketKey(accepted));
  }

  #pair(one: string, other: string): void {
    this.#peers.set(one, other);
    this.#peers.set(other, one);
  }

  #listenerFor(call: CallRecord, name: string): Listener | undefined {
    if (name !== 'connect' && !isAccept(name)) return undefined;
    const address = this.addressOf(call, name);
    return address === undefined ? undefined : this.#listeners.get(address);
  }
}

const isAccept = (name: string): boolean => name === 'accept' || name === 'accept4';

/** A connection that is not waited for may still come about. */
const isConnected = ({ result }: CallRecord): boolean => result === 0 || result === -EINPROGRESS;
