/**
 * An internet address with its port, out of a `struct sockaddr`: 192.0.2.7:80, [::1]:8080. Source:
 * <linux/in.h>, <linux/in6.h>.
 */
import { encodeBytes } from '../../../base/bytes.ts';
import type { ListeningPlace } from '../../../linux/sandbox/listening-place.ts';

export type Endpoint = ListeningPlace;

const AF_INET = 2;
const AF_INET6 = 10;
const PORT_AT = 2;
const V4 = { at: 4, size: 4 } as const;
const V6 = { at: 8, size: 16 } as const;
/** Of an address of the other kind in one of 16 bytes: ::ffff:192.0.2.7. */
const MAPPED = Buffer.from('00000000000000000000ffff', 'hex');

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** undefined if it is no internet address, or without a port. */
export function endpointIn(data: string | undefined): Endpoint | undefined {
  const bytes = encodeBytes(data ?? '');
  const family = bytes.length < 2 ? undefined : bytes.readUInt16LE(0);
  const { at, size } = family === AF_INET6 ? V6 : V4;
  if ((family !== AF_INET && family !== AF_INET6) || bytes.length < at + size) return undefined;
  const port = bytes.readUInt16BE(PORT_AT);
  return port === 0 ? undefined : { host: hostIn(bytes.subarray(at, at + size)), port };
}

function hostIn(bytes: Buffer): string {
  const isMapped = bytes.length === V6.size && bytes.subarray(0, MAPPED.length).equals(MAPPED);
  const plain = isMapped ? bytes.subarray(MAPPED.length) : bytes;
  if (plain.length === V4.size) return [...plain].join('.');
  // Node has no other way to leave out the zeros.
  const groups = plain.toString('hex').match(/.{4}/g)!.join(':');
  return new URL(`http://[${groups}]`).hostname.slice(1, -1);
}

/** Whom one gets who connects there: of no host in particular, this one. */
export function connectedHost({ host, port }: Endpoint): Endpoint {
  if (!WILDCARDS.has(host)) return { host, port };
  return { host: host === '::' ? '::1' : '127.0.0.1', port };
}

/** Whether a server that is bound there may be who one gets at `other`. */
export function mayServe(bound: Endpoint, other: Endpoint): boolean {
  return bound.port === other.port && (WILDCARDS.has(bound.host) || bound.host === other.host);
}

export const isLoopback = ({ host }: Endpoint): boolean =>
  host.startsWith('127.') || host === '::1';

/** Such an address says nothing without an interface, and there will be none. */
export const isLinkLocal = ({ host }: Endpoint): boolean => /^fe[89ab]/.test(host);

export const shownEndpoint = ({ host, port }: Endpoint): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
