/** A new network has a loopback interface, but it is down. See netdevice(7). */
import type { RemoteTask } from './remote-task.ts';

/** Source: <linux/socket.h>, <linux/net.h>, <linux/sockios.h>, <linux/if.h>. */
const AF_INET = 2;
const SOCK_DGRAM = 2;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
const NAME_SIZE = 16;
const REQUEST_SIZE = 40;

export function bringUpLoopback(task: RemoteTask): void {
  const socket = task.call('socket', AF_INET, SOCK_DGRAM, 0);
  const request = 'lo'.padEnd(NAME_SIZE, '\0') + String.fromCharCode(IFF_UP);
  task.call('ioctl', socket, SIOCSIFFLAGS, request.padEnd(REQUEST_SIZE, '\0'));
  task.call('close', socket);
}
