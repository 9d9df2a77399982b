/**
 * What goes through pipes, sockets and the like, and so who comes after whom: a read comes after
 * the writes whose bytes it got (stream-log.ts), and the end of a stream after all who could have
 * written into it have let go of it (descriptors.ts).
 *
 * Sockets whose other end is not known (connections.ts) count as one stream, as do eventfds that
 * the recorder cannot tell apart. What is read from a terminal or another device, nobody in the
 * recording has written there.
 */
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId, TaskId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import type { KernelFile } from '../../../trace/records/kernel-file.ts';
import { typeOf } from '../../model/file-type.ts';
import type { Thing } from '../../model/operation.ts';
import { type Connections, socketKey } from './connections.ts';
import { type Descriptors, streamKey } from './descriptors.ts';
import { StreamLog } from './stream-log.ts';
import { type Transfer, transferOf } from './transfers.ts';

/** Where the bytes of one call come from and go to. */
export interface Flow {
  transfer: Transfer;
  from: Thing | undefined;
  into: Thing | undefined;
}

const NONE: readonly EventId[] = [];
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

  flowOf(call: CallRecord, name: string): Flow | undefined {
    const transfer = transferOf(call, name);
    if (!transfer) return undefined;
    const { from, into } = transfer;
    return { transfer, from: from && this.readFrom(from), into: into && streamOf(into) };
  }

  /** What a call that reads comes after. */
  causesOf({ result }: CallRecord, { transfer, from }: Flow, reader: TaskId): readonly EventId[] {
    if (!from || result < 0 || from.key.startsWith('device ')) return NONE;
    if (result === 0 && transfer.asks) return this.#descriptors.releasesOf(from.key, reader);
    const log = this.#logs.get(from.key);
    if (!log) return NONE;
    if (!transfer.countsBytes) log.stopCounting();
    return transfer.peeks ? log.peek(result, reader) : log.take(result, reader);
  }

  /** Where it is not known whose bytes were read, the last who wrote some stands for all. */
  lastWrite({ from }: Flow): readonly EventId[] {
    const last = from && this.#logs.get(from.key)?.lastWrite;
    return last === undefined ? NONE : [last];
  }

  isCounted({ from }: Flow): boolean {
    return from !== undefined && this.#logs.get(from.key)?.countsBytes === true;
  }

  /** What somebody comes after who was told that there is something to read. */
  toldOf(file: KernelFile, reader: TaskId): readonly EventId[] {
    const stream = this.readFrom(file);
    if (!stream) return NONE;
    const connections = this.#connections.waitingAt(stream.name);
    if (connections) return connections;
    const waiting = this.#logs.get(stream.key)?.peek(1, reader) ?? NONE;
    return waiting.length > 0 ? waiting : this.#descriptors.releasesOf(stream.key, reader);
  }

  note(call: CallRecord, { transfer, into }: Flow, event: EventId): void {
    if (!into || call.result < 0) return;
    this.write(into.key, call, event, transfer.countsBytes);
    const isUnpaired = into.key.startsWith('socket ') && !this.#connections.peerOf(into.key);
    if (isUnpaired) this.write(UNPAIRED_SOCKETS, call, event, false);
  }

  write(stream: string, call: CallRecord, event: EventId, countsBytes: boolean): void {
    let log = this.#logs.get(stream);
    if (!log) {
      log = new StreamLog(this.#graph, this.#connections.isByteStream(stream));
      this.#logs.set(stream, log);
    }
    if (!countsBytes) log.stopCounting();
    log.write(call.result, { event, entry: call.entry, exit: call.exit });
  }

  /** A new pipe, socket or event descriptor may have the number of an old one. */
  created(file: KernelFile): void {
    const stream = streamOf(file);
    if (!stream || stream.key === ANONYMOUS) return;
    this.#logs.delete(stream.key);
    if (typeOf(file) === 'pipe') this.#logs.set(stream.key, new StreamLog(this.#graph, true));
  }

  /** A named pipe is empty when it is first opened. */
  opened(file: KernelFile): void {
    const stream = streamOf(file);
    if (stream && typeOf(file) === 'pipe' && !this.#logs.has(stream.key)) this.created(file);
  }

  /** The stream that a read of this file would come from: named after its writing end. */
  readFrom(file: KernelFile): Thing | undefined {
    const own = streamOf(file);
    if (!own || typeOf(file) !== 'socket') return own;
    return { key: this.#connections.peerOf(own.key) ?? UNPAIRED_SOCKETS, name: own.key };
  }
}

/** Pipes, sockets, terminals, eventfds and queues; undefined for ordinary files. */
function streamOf(file: KernelFile): Thing | undefined {
  const type = typeOf(file);
  switch (type) {
    case 'anonymous': {
      const key = file.id === 0 ? ANONYMOUS : `${ANONYMOUS} ${file.id}`;
      return { key, name: 'an event descriptor' };
    }
    case 'socket':
    case 'pipe':
    case 'device': {
      const key = type === 'socket' ? socketKey(file) : streamKey(file, type);
      return { key, name: key };
    }
  }
  return undefined;
}
