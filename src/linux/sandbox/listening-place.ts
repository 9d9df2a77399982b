/**
 * Lets us listen in the network of a sandbox, at any address: one that is not there yet is given to the
 * loopback interface. The sockets are made by a task in the sandbox, which has all rights there, and then handed
 * over to us:
 *
 *   listenAt(task, [{ host: '192.0.2.7', port: 80 }, …], (place, descriptor) => …)   lo also is 192.0.2.7
 */
import { isIPv6 } from 'node:net';
import { decodeBytes } from '../../base/bytes.ts';
import { copyOf } from '../readable.ts';
import { SystemError } from '../system-error.ts';
import type { RemoteTask } from './remote-task.ts';

export interface ListeningPlace {
  /** As people write it, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Source: <linux/socket.h>, <linux/net.h>, <linux/in.h>, <linux/in6.h>. */
const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM = 1;
const IPPROTO_IPV6 = 41;
/** An address that was just given may not count as there for a moment. */
const IPV6_FREEBIND = 78;
const BACKLOG = 4096;

/** Source: <linux/sockios.h>, <linux/if.h>, <linux/ipv6.h>. */
const SIOCSIFADDR = 0x8916;
const SIOCSIFNETMASK = 0x891c;
const NAME_SIZE = 16;
const REQUEST_SIZE = 40;
/** The first interface of every network. */
const LOOPBACK_INDEX = 1;
const WHOLE_ADDRESS = 128;

/** Where it is impossible, as without IPv6, there will be nobody. */
export function listenAt(
  task: RemoteTask,
  places: readonly ListeningPlace[],
  opened: (place: number, descriptor: number) => void,
): void {
  const hosts = [...new Set(places.map(({ host }) => host))];
  for (const [index, host] of hosts.entries()) ifPossible(() => addHost(task, host, index));
  for (const [index, place] of places.entries()) {
    const descriptor = ifPossible(() => listen(task, place));
    if (descriptor !== undefined) opened(index, descriptor);
  }
}

function ifPossible<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof SystemError) return undefined;
    throw error;
  }
}

function addHost(task: RemoteTask, host: string, index: number): void {
  if (host === '::1' || host.startsWith('127.')) return;
  withSocket(task, host, (socket) => {
    if (isIPv6(host)) addV6(task, socket, host);
    else addV4(task, socket, host, index);
  });
}

function listen(task: RemoteTask, { host, port }: ListeningPlace): number {
  return withSocket(task, host, (socket) => {
    const isV6 = isIPv6(host);
    if (isV6) task.call('setsockopt', socket, IPPROTO_IPV6, IPV6_FREEBIND, number32(1), 4);
    const address = isV6 ? addressV6(host, port) : addressV4(host, port);
    task.call('bind', socket, decodeBytes(address), address.length);
    task.call('listen', socket, BACKLOG);
    return copyOf(task.task, socket);
  });
}

function withSocket<T>(task: RemoteTask, host: string, act: (socket: number) => T): T {
  const socket = task.call('socket', isIPv6(host) ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
  try {
    return act(socket);
  } finally {
    task.call('close', socket);
  }
}

/** As another name of the interface, which is how ioctl gives it a second address. */
function addV4(task: RemoteTask, socket: number, host: string, index: number): void {
  const change = (request: number, value: string): void => {
    const name = Buffer.from(`lo:${index}`.padEnd(NAME_SIZE, '\0'));
    const bytes = Buffer.concat([name, addressV4(value, 0)], REQUEST_SIZE);
    task.call('ioctl', socket, request, decodeBytes(bytes));
  };
  change(SIOCSIFADDR, host);
  // Otherwise all of its neighbours would be here, too.
  change(SIOCSIFNETMASK, '255.255.255.255');
}

function addV6(task: RemoteTask, socket: number, host: string): void {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(WHOLE_ADDRESS, 0);
  numbers.writeUInt32LE(LOOPBACK_INDEX, 4);
  task.call('ioctl', socket, SIOCSIFADDR, decodeBytes(Buffer.concat([hostV6(host), numbers])));
}

/** `struct sockaddr_in` */
function addressV4(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(host.split('.').map(Number), 4);
  return bytes;
}

/** `struct sockaddr_in6` */
function addressV6(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(28);
  bytes.writeUInt16LE(AF_INET6, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(hostV6(host), 8);
  return bytes;
}

/** Its sixteen bytes; `::` stands for as many zeros as are missing. */
function hostV6(host: string): Buffer {
  const [front = '', back = ''] = host.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(front), groups(back)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [at, group] of [...first, ...zeros, ...last].entries())
    bytes.writeUInt16BE(group, 2 * at);
  return bytes;
}

function number32(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return decodeBytes(bytes);
}
