/**
 * Who is connected to whom: which socket is the other end of which, and which address is meant. The
 * kernel has a queue for each listening socket, so the first accept gets the first connection:
 *
 *   20: bind(3, /run/x), listen(3)     20 listens at /run/x
 *   21: connect(5, /run/x)             finds that somebody listens; waits in the queue
 *   20: accept(3) = 4                  after the connect; 4 and 21's 5 are the two ends
 *
 * A server whose port the kernel chose, and a connection from outside, have no known other end. Such
 * a server's accept comes after all connections so far of which nobody knows where they went, and
 * who makes one of those has learned that such servers listen; that may hide a race, but never
 * invents one.
 *
 * Of connections that were made at the same time, nobody knows which came first: they have no known
 * other end, and whoever accepts one of them comes after all of them.
 */
import { errnoNumber } from '../../../linux/errno.ts';
import type { Tid } from '../../../linux/ids.ts';
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
  /** Of servers whose address is not known; of connections to nobody that is known, the last by task. */
  readonly #strayListens: EventId[] = [];
  readonly #strayConnects = new Map<Tid, EventId>();

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
    if (!isAccept(name) || call.result < 0) return [];
    const listener = this.#listenerFor(call, name);
    if (!listener) return [...this.#strayConnects.values()];
    const [first] = listener.queue;
    if (!first?.isUncertain) return first ? [first.event] : [];
    return listener.queue.filter(({ isUncertain }) => isUncertain).map(({ event }) => event);
  }

  /** The connections that wait to be accepted; undefined if it is no socket for that. */
  waitingAt(socket: string): EventId[] | undefined {
    const address = this.#bound.get(socket);
    const listener = address === undefined ? undefined : this.#listeners.get(address);
    return listener?.queue.map(({ event }) => event);
  }

  /** Whoever gets a connection knows that somebody listens; a moment earlier it would have failed. */
  learnedFrom(call: CallRecord, name: string): readonly EventId[] {
    if (name !== 'connect' || !isConnected(call)) return [];
    const listener = this.#listenerFor(call, name);
    return listener ? [listener.since] : this.#strayListens;
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
    if (name === 'listen' && result >= 0) {
      if (address) this.#listeners.set(address, { since: event, queue: [] });
      else this.#strayListens.push(event);
    }
    const listener = this.#listenerFor(call, name);
    if (name === 'connect' && isConnected(call)) {
      if (listener) this.#queueUp(listener, call, socketKey(file), event);
      else this.#strayConnects.set(call.tid, event);
    }
    if (isAccept(name) && result >= 0 && file2) this.#accepted(file, file2, listener);
  }

  #queueUp(listener: Listener, { entry, exit }: CallRecord, client: string, event: EventId): void {
    const meanwhile = listener.queue.filter((other) => other.exit > entry);
    for (const other of meanwhile) other.isUncertain = true;
    listener.queue.push({ client, event, exit, isUncertain: meanwhile.length > 0 });
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
