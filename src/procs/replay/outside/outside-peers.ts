/**
 * With whom a recorded program has talked that was none of its own processes, and what was said: TCP
 * connections that it has made, and at whose other end nobody of it has listened.
 *
 *   21: connect(3, 192.0.2.7:80) = 0, write(3, "GET …") = 18, read(3, …) = 5000, read(3, …) = 0
 *   22: connect(3, 127.0.0.1:8080) = 0                    20 has listened there: that is no outsider
 *
 * A server whose port the kernel chose, or whose socket was inherited, may be whom one gets at any port
 * of this host: if there is one, all connections to this host count as its own.
 */
import { errnoNumber } from '../../../linux/errno.ts';
import { syscallName } from '../../../linux/syscalls.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { transferOf } from '../../detect/order/transfers.ts';
import { CONNECTING_RESULTS } from '../../recorder/connected-sockets.ts';
import { type Conversation, ConversationNotes, type Cue } from './conversation.ts';
import {
  connectedHost,
  type Endpoint,
  endpointIn,
  isLinkLocal,
  isLoopback,
  mayServe,
  shownEndpoint,
} from './endpoint.ts';
import { ReadableSockets } from './readable-sockets.ts';
import { RecordedBytes } from './recorded-bytes.ts';
import { isTcp } from './tcp.ts';

export interface OutsidePeer extends Endpoint {
  /** In the order in which they began. */
  readonly conversations: readonly Conversation[];
}

export interface Outside {
  readonly peers: readonly OutsidePeer[];
  /** Whether the program has tried to connect there, or may have served there itself. */
  isKnown(endpoint: Endpoint): boolean;
  /** By call: what it was the first to find. */
  readonly cues: ReadonlyMap<CallRecord, readonly Cue[]>;
}

const EISCONN = errnoNumber('EISCONN') ?? 0;
const ECONNRESET = errnoNumber('ECONNRESET') ?? 0;

export function outsideOf(records: Iterable<TraceRecord>): Outside {
  const connections = new OutsideConnections();
  for (const record of records) connections.note(record);
  return connections.outside;
}

interface Connection {
  readonly peer: Endpoint;
  readonly notes: ConversationNotes;
}

class OutsideConnections {
  readonly #kept = new RecordedBytes();
  readonly #readable = new ReadableSockets();
  /** By inode; others were there before. */
  readonly #made = new Map<number, 'tcp' | 'other'>();
  readonly #bound = new Map<number, Endpoint>();
  readonly #listening: Endpoint[] = [];
  /** Whether somebody listens at a place that is not known. */
  #listensAnywhere = false;
  readonly #connections: Connection[] = [];
  readonly #tried = new Set<string>();
  #utterances = 0;
  /** By inode: the latest. */
  readonly #open = new Map<number, Connection>();

  note(record: TraceRecord): void {
    this.#kept.note(record);
    if (record.kind === 'start') this.#readable.started(record);
    if (record.kind === 'call') this.#call(record, syscallName(record.number));
  }

  get outside(): Outside {
    const outside = this.#connections.filter(
      ({ peer, notes }) => notes.isEstablished && this.#isOutside(peer),
    );
    const peers = new Map<string, Endpoint & { conversations: Conversation[] }>();
    for (const { peer, notes } of outside) {
      const same = peers.get(shownEndpoint(peer)) ?? { ...peer, conversations: [] };
      same.conversations.push(notes.conversation);
      peers.set(shownEndpoint(peer), same);
    }
    const isKnown = (endpoint: Endpoint): boolean =>
      !this.#isOutside(endpoint) || this.#tried.has(shownEndpoint(endpoint));
    return {
      peers: [...peers.values()],
      isKnown,
      cues: cuesByCall(outside.flatMap(({ notes }) => notes.cues)),
    };
  }

  #isOutside(peer: Endpoint): boolean {
    if (isLinkLocal(peer) || (this.#listensAnywhere && isLoopback(peer))) return false;
    return !this.#listening.some((bound) => mayServe(bound, peer));
  }

  #call(call: CallRecord, name: string): void {
    const { file, file2, result } = call;
    const told = this.#readable.toldBy(call, name);
    switch (name) {
      case 'socket':
        if (file2) this.#made.set(file2.inode, isTcp(call) ? 'tcp' : 'other');
        return;
      case 'bind':
        return this.#bind(call);
      case 'listen':
        if (file && result >= 0) this.#listen(file);
        return;
      case 'accept':
      case 'accept4':
        if (file && result >= 0) this.#accept(file);
        return;
      case 'connect':
        return this.#connect(call);
      case 'shutdown':
        if (file && result >= 0 && call.args[1] !== 0) this.#of(file)?.notes.endsSending(call);
        return;
    }
    this.#transfer(call, name);
    for (const { inode, fd } of told) this.#open.get(inode)?.notes.isReadable({ call, fd });
  }

  #bind({ file, data, result }: CallRecord): void {
    const endpoint = endpointIn(data);
    if (file && endpoint && result >= 0) this.#bound.set(file.inode, endpoint);
  }

  #listen({ inode }: KernelFile): void {
    const bound = this.#bound.get(inode);
    if (bound) this.#listening.push(bound);
    else if (this.#made.get(inode) !== 'other') this.#listensAnywhere = true;
  }

  /** Somebody else may have made it listen. */
  #accept({ inode }: KernelFile): void {
    if (!this.#made.has(inode)) this.#listensAnywhere = true;
  }

  #connect(call: CallRecord): void {
    const { file, data, result } = call;
    const endpoint = endpointIn(data);
    if (!file || !endpoint || this.#made.get(file.inode) !== 'tcp') return;
    const peer = connectedHost(endpoint);
    this.#tried.add(shownEndpoint(peer));
    const present = this.#of(file);
    const isThere = result === 0 || result === -EISCONN;
    if (present && !present.notes.isEstablished && isThere) {
      present.notes.isEstablished = true;
      return;
    }
    if (!CONNECTING_RESULTS.includes(result)) return;
    const notes = new ConversationNotes(() => this.#utterances++);
    notes.isEstablished = result === 0;
    const connection = { peer, notes };
    this.#connections.push(connection);
    this.#open.set(file.inode, connection);
  }

  #transfer(call: CallRecord, name: string): void {
    const transfer = transferOf(call, name);
    if (!transfer) return;
    const { from, into, countsBytes, peeks, asks } = transfer;
    const { result } = call;
    const given = into && this.#of(into);
    if (given && result > 0) {
      if (!countsBytes) given.notes.losesTrack();
      given.notes.sends(call, countsBytes ? result : 0, this.#kept.take(call, into));
    }
    const taken = from && this.#of(from);
    if (!taken) return;
    const by = { call, fd: (call.args[from === call.file ? 0 : 1] ?? 0) | 0 };
    if (peeks && result > 0) taken.notes.isReadable(by);
    if (peeks) return;
    if (result > 0 && !countsBytes) taken.notes.losesTrack();
    else if (result > 0) taken.notes.receives(by, result, this.#kept.take(call, from));
    else if (result === 0 && asks) taken.notes.ends(by, false);
    else if (result === -ECONNRESET) taken.notes.ends(by, true);
  }

  #of({ inode }: KernelFile): Connection | undefined {
    return this.#open.get(inode);
  }
}

function cuesByCall(cues: readonly Cue[]): Map<CallRecord, Cue[]> {
  const byCall = new Map<CallRecord, Cue[]>();
  for (const cue of cues) byCall.set(cue.call, [...(byCall.get(cue.call) ?? []), cue]);
  return byCall;
}
