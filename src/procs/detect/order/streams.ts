/**
 * What goes through pipes, sockets and the like, and so who comes after whom: a read comes after
 * the writes whose bytes it got (stream-log.ts), and the end of a stream after all who could have
 * written into it have let go of it (descriptors.ts).
 *
 * Sockets whose other end is not known (connections.ts) count as one stream, as do eventfds that
 * the recorder cannot tell apart, and signals that are fetched rather than delivered.
 */
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { typeOf } from '../../model/file-type.ts';
import type { Thing } from '../../model/operation.ts';
import { type Connections, socketKey } from './connections.ts';
import { type Descriptors, streamKey } from './descriptors.ts';
import { StreamLog } from './stream-log.ts';
import { transferOf } from './transfers.ts';

/** Where the bytes of one call come from and go to. */
export interface Flow {
  from?: Thing;
  into?: Thing;
}

const NO_FLOW: Flow = {};
const UNPAIRED_SOCKETS = 'sockets';
const ANONYMOUS = 'anonymous';

export class Streams {
  readonly #graph: HappensBeforeGraph;
  readonly #connections: Connections;
  readonly #descriptors: Descriptors;
  readonly #logs = new Map<string, StreamLog>();

  constructor(graph: HappensBeforeGraph, connections: Connections, descriptors: Descriptors) {
    this.#graph = graph;
    this.#connections = connections;
    this.#descriptors = descriptors;
  }

  flowOf(call: CallRecord, name: string): Flow {
    const transfer = transferOf(call, name);
    if (!transfer) return NO_FLOW;
    const { from, into } = transfer;
    const source = from && this.#readFrom(from);
    const sink = into && this.#writtenInto(into);
    return { ...(source && { from: source }), ...(sink && { into: sink }) };
  }

  /** What a call that reads comes after. */
  causesOf(call: CallRecord, name: string, { from }: Flow): readonly EventId[] {
    const transfer = from && transferOf(call, name);
    if (!from || !transfer || call.result < 0) return [];
    if (transfer.peeks) return this.peek(from.key);
    if (call.result === 0 && transfer.asks) return this.#descriptors.releasesOf(from.key);
    const log = this.#logs.get(from.key);
    if (!transfer.countsBytes) log?.stopCounting();
    return log?.take(call.result) ?? [];
  }

  /** What somebody comes after who was told that there is something to read. */
  peek(stream: string): EventId[] {
    const waiting = this.#logs.get(stream)?.peek() ?? [];
    return waiting.length > 0 ? waiting : [...this.#descriptors.releasesOf(stream)];
  }

  note(call: CallRecord, name: string, event: EventId): void {
    const { into } = this.flowOf(call, name);
    if (!into || call.result < 0) return;
    this.write(into.key, call, event, transferOf(call, name)?.countsBytes ?? false);
  }

  write(stream: string, call: CallRecord, event: EventId, countsBytes: boolean): void {
    let log = this.#logs.get(stream);
    if (!log) {
      log = new StreamLog(this.#isCounted(stream));
      this.#logs.set(stream, log);
    }
    if (!countsBytes) log.stopCounting();
    const { entry, exit } = call;
    log.write(call.result, { event, entry, exit }, this.#graph.taskOf(event));
  }

  /** A new pipe may have the number of an old one. */
  forget(file: KernelFile | undefined): void {
    if (file) this.#logs.delete(streamKey(file, 'pipe'));
  }

  /** The stream that a read of this file would come from. */
  readFrom(file: KernelFile): Thing | undefined {
    return this.#readFrom(file);
  }

  #readFrom(file: KernelFile): Thing | undefined {
    const type = typeOf(file);
    if (type !== 'socket') return streamThing(file);
    const own = socketKey(file);
    // Named after its writing end, as a pipe is.
    const peer = this.#connections.peerOf(own);
    return { key: peer ?? UNPAIRED_SOCKETS, name: own };
  }

  #writtenInto(file: KernelFile): Thing | undefined {
    const type = typeOf(file);
    if (type !== 'socket') return streamThing(file);
    const own = socketKey(file);
    return { key: this.#connections.peerOf(own) ? own : UNPAIRED_SOCKETS, name: own };
  }

  #isCounted(stream: string): boolean {
    return stream.startsWith('pipe ') || this.#connections.isByteStream(stream);
  }
}

/** Pipes, terminals, eventfds and queues; undefined for ordinary files. */
function streamThing(file: KernelFile): Thing | undefined {
  const type = typeOf(file);
  if (type === 'anonymous') {
    const key = file.id === 0 ? ANONYMOUS : `${ANONYMOUS} ${file.id}`;
    return { key, name: 'an event descriptor' };
  }
  if (type !== 'pipe' && type !== 'device') return undefined;
  const key = streamKey(file, type);
  return { key, name: key };
}
