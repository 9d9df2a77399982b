import type { CallRecord } from '../../../trace/records/call.ts';
import { INTERNET_FAMILIES } from '../../recorder/connected-sockets.ts';

/** Source: <linux/net.h>, <linux/in.h>: unspecified, TCP and MPTCP. */
const SOCK_STREAM = 1;
const SOCK_TYPE_MASK = 0xf;
const PROTOCOLS: readonly number[] = [0, 6, 262];

/** Whether a call of socket(2) makes a TCP socket. */
export function isTcp({ args, result }: CallRecord): boolean {
  const [family = 0, type = 0, protocol = 0] = args;
  const isStream = (type & SOCK_TYPE_MASK) === SOCK_STREAM && PROTOCOLS.includes(protocol);
  return result >= 0 && isStream && INTERNET_FAMILIES.includes(family);
}
