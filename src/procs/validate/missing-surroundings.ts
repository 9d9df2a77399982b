/**
 * What a program had around it when it was recorded, and has not when it is run again. It is worth
 * telling only of a program that then goes astray: most get along.
 *
 *   it was connected to /run/postgresql/.s.PGSQL.5432; when it is run again, nobody is there
 *   it used a terminal; when it is run again, nobody types there
 *   it was given descriptor 7; when it is run again, /dev/null is there
 */
import { printable } from '../../base/bytes.ts';
import { errnoNumber } from '../../linux/errno.ts';
import { syscallNumber } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { addressIn } from '../detect/order/sockaddr.ts';
import { lostFiles } from '../replay/further-files.ts';
import {
  connectedHost,
  type Endpoint,
  endpointIn,
  shownEndpoint,
} from '../replay/outside/endpoint.ts';
import type { StoredProgram } from '../replay/stored-program.ts';

const CONNECT = syscallNumber('connect');
const BIND = syscallNumber('bind');
/** A connection that is on its way. */
const EINPROGRESS = -(errnoNumber('EINPROGRESS') ?? 0);
const TERMINAL = '/dev/tty';
const MOST_PEERS = 3;

type Stored = Pick<StoredProgram, 'further' | 'program' | 'inputIsTerminal'>;

/** `stoodIn`: those whom somebody plays. */
export function missingSurroundings(
  stored: Stored,
  records: Iterable<TraceRecord>,
  stoodIn: readonly Endpoint[],
): string[] {
  const played = new Set(stoodIn.map(shownEndpoint));
  const isPlayed = ({ data }: CallRecord): boolean => {
    const endpoint = endpointIn(data);
    return endpoint !== undefined && played.has(shownEndpoint(connectedHost(endpoint)));
  };
  const own = new Set<string>();
  const peers = new Set<string>();
  let usesTerminal = stored.inputIsTerminal;
  for (const record of records) {
    if (record.kind !== 'call') continue;
    if (record.number === BIND && record.result === 0) own.add(addressOf(record));
    if (record.number === CONNECT && isConnected(record) && !isPlayed(record)) {
      peers.add(addressOf(record));
    }
    if (record.path === TERMINAL && record.result >= 0) usesTerminal = true;
  }
  const others = [...peers].filter((peer) => peer !== '' && !own.has(peer)).map(printable);
  const lost = lostFiles(stored);
  return [
    ...(others.length > 0
      ? [`it was connected to ${listed(others)}; when it is run again, nobody is there`]
      : []),
    ...(usesTerminal ? ['it used a terminal; when it is run again, nobody types there'] : []),
    ...(lost.length > 0
      ? [`it was given descriptor ${lost.join(', ')}; when it is run again, /dev/null is there`]
      : []),
  ];
}

const isConnected = ({ result }: CallRecord): boolean => result === 0 || result === EINPROGRESS;

const addressOf = ({ data }: CallRecord): string =>
  (data === undefined ? undefined : addressIn(data)) ?? '';

const listed = (names: readonly string[]): string =>
  [...names.slice(0, MOST_PEERS), ...(names.length > MOST_PEERS ? ['others'] : [])].join(', ');
