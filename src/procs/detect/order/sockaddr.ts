/**
 * The address in a `struct sockaddr`, as a name that both sides agree on: `/run/x.sock`,
 * `@abstract`, `port 80`. Hosts are left out: a server binds to 0.0.0.0, a client connects to
 * 127.0.0.1. Source: <linux/un.h>, <linux/in.h>, <linux/in6.h>.
 */
import { decodeBytes, encodeBytes } from '../../../base/bytes.ts';

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const PATH_AT = 2;
const PORT_AT = 2;

export function addressIn(data: string | undefined): string | undefined {
  const bytes = data === undefined ? Buffer.alloc(0) : encodeBytes(data);
  if (bytes.length < 4) return undefined;
  const family = bytes.readUInt16LE(0);
  if (family === AF_INET || family === AF_INET6) {
    const port = bytes.readUInt16BE(PORT_AT);
    return port === 0 ? undefined : `port ${port}`;
  }
  if (family !== AF_UNIX) return undefined;
  const path = bytes.subarray(PATH_AT);
  if (path[0] === 0) return `@${decodeBytes(path.subarray(1))}`;
  const end = path.indexOf(0);
  return decodeBytes(end === -1 ? path : path.subarray(0, end));
}
