/**
 * What goes through pipes and sockets, in which order. Taken generously: every write into a stream
 * comes before every later read of it, and all sockets count as one stream (the two ends of a
 * connection have different numbers), as do all eventfds. That may hide a race, but never
 * invents one.
 */
import { syscallName } from '../../linux/syscalls.ts';
import type { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId } from '../../order/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { isFifo } from '../model/file-type.ts';

const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'sendto', 'sendmsg']);
const READS = new Set(['read', 'readv', 'pread64', 'preadv', 'recvfrom', 'recvmsg']);

export const writesIntoStream = (call: CallRecord): boolean =>
  WRITES.has(syscallName(call.number)) && streamOf(call) !== undefined;

/** `pipe:[4711]`, `/run/fifo`, `socket`, …, if the call is about one. */
function streamOf({ path, file }: CallRecord): string | undefined {
  if (path === undefined) return undefined;
  if (path.startsWith('socket:')) return 'socket';
  if (path.startsWith('pipe:') || path.startsWith('anon_inode:')) return path;
  return isFifo(file) ? path : undefined;
}

export class Streams {
  readonly #graph: HappensBeforeGraph;
  readonly #writes = new Map<string, EventId[]>();

  constructor(graph: HappensBeforeGraph) {
    this.#graph = graph;
  }

  /** What a call that reads from a stream comes after. */
  causesOf(call: CallRecord): readonly EventId[] {
    const stream = READS.has(syscallName(call.number)) ? streamOf(call) : undefined;
    return stream === undefined ? [] : (this.#writes.get(stream) ?? []);
  }

  note(call: CallRecord, event: EventId): void {
    const stream = writesIntoStream(call) ? streamOf(call) : undefined;
    if (stream === undefined) return;
    // One write per task is enough: its earlier ones come before this one anyway.
    const task = this.#graph.taskOf(event);
    const others = this.#writes.get(stream)?.filter((write) => this.#graph.taskOf(write) !== task);
    this.#writes.set(stream, [...(others ?? []), event]);
  }
}
