/**
 * What goes through pipes and sockets, in which order. Taken generously: every write into a stream
 * comes before every later read of it, and all sockets count as one stream (the two ends of a
 * connection have different numbers), as do all eventfds, and all signals that are fetched rather
 * than delivered. That may hide a race. Bytes that move without being read or written (splice,
 * sendfile) are not seen, so programs that wait in that way look unordered.
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId } from '../../order/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { typeOf } from '../model/file-type.ts';

const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'sendto', 'sendmsg', 'sendmmsg']);
const READS = new Set(['read', 'readv', 'pread64', 'preadv', 'recvfrom', 'recvmsg', 'recvmmsg']);

const SENDS_SIGNAL = new Set(['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo']);
const FETCHED_SIGNALS = 'anonymous';

export const writesIntoStream = (call: CallRecord): boolean => writtenBy(call) !== undefined;

function writtenBy(call: CallRecord): string | undefined {
  const name = syscallName(call.number);
  if (SENDS_SIGNAL.has(name)) return FETCHED_SIGNALS;
  return WRITES.has(name) ? streamOf(call) : undefined;
}

function readBy(call: CallRecord): string | undefined {
  const name = syscallName(call.number);
  if (name === 'rt_sigtimedwait') return FETCHED_SIGNALS;
  return READS.has(name) ? streamOf(call) : undefined;
}

/** Which stream a call on an open file moves bytes through, if it is one. */
function streamOf({ file }: CallRecord): string | undefined {
  if (file === undefined) return undefined;
  const type = typeOf(file);
  if (type === 'pipe') return `${file.device}:${file.inode}`;
  return type === 'socket' || type === 'anonymous' ? type : undefined;
}

export class Streams {
  readonly #graph: HappensBeforeGraph;
  readonly #writes = new Map<string, EventId[]>();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  /** What a call that reads from a stream comes after. */
  causesOf(call: CallRecord): readonly EventId[] {
    const stream = readBy(call);
    return stream === undefined ? [] : (this.#writes.get(stream) ?? []);
  }

  note(call: CallRecord, event: EventId): void {
    const stream = writtenBy(call);
    if (stream === undefined) return;
    // One write per task is enough: its earlier ones come before this one anyway.
    const task = this.#graph.taskOf(event);
    const others = this.#writes.get(stream)?.filter((write) => this.#graph.taskOf(write) !== task);
    this.#writes.set(stream, [...(others ?? []), event]);
  }
}
