/**
 * Turns a recording into events with an order between them: the happens-before graph, and for
 * each recorded call its event in it.
 *
 * Known order: program order, fork to child, exit to wait, signal to its delivery, and what went
 * into a pipe or socket before what came out of it. The last is taken generously (every write
 * before every later read of the same stream), which can hide a race but never invents one.
 *
 * A recorder learns of a call when it ends; a write into a pipe may end after the read that got
 * its bytes. Writes into streams therefore take their place by their entry, all else by its end.
 */
import type { Tid } from '../../linux/ids.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId, TaskId } from '../../order/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { TaskHistory } from './task-history.ts';

export interface CallEvent {
  call: CallRecord;
  event: EventId;
}

export interface Timeline {
  graph: HappensBeforeGraph;
  calls: CallEvent[];
  tasks: TaskHistory;
}

const WAITS = new Set(['wait4', 'waitid']);
const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev']);
const READS = new Set(['read', 'readv', 'pread64', 'preadv']);

/** `pipe:[4711]` or `socket:[4711]`, if the call moves bytes through one. */
function streamOf(call: CallRecord): string | undefined {
  return call.path && /^(pipe|socket):/.test(call.path) ? call.path : undefined;
}

function place(record: TraceRecord): number {
  if (record.kind !== 'call') return record.sequence;
  return streamOf(record) && WRITES.has(syscallName(record.number)) ? record.entry : record.exit;
}

export function buildTimeline(records: readonly TraceRecord[]): Timeline {
  const builder = new TimelineBuilder();
  for (const record of [...records].sort((a, b) => place(a) - place(b))) builder.add(record);
  return builder.timeline;
}

class TimelineBuilder {
  readonly timeline: Timeline = {
    graph: new HappensBeforeGraph(),
    calls: [],
    tasks: new TaskHistory(),
  };
  readonly #tasks = new Map<Tid, TaskId>();
  readonly #last = new Map<Tid, EventId>();
  readonly #exits = new Map<Tid, EventId>();
  readonly #streamWrites = new Map<string, EventId[]>();
  /** What the next event of a task comes after, besides its own last one. */
  readonly #pending = new Map<Tid, EventId[]>();

  add(record: TraceRecord): void {
    const { graph, tasks, calls } = this.timeline;
    switch (record.kind) {
      case 'start': {
        const fork = record.parentTid && this.#event(record.parentTid);
        this.#tasks.set(record.tid, graph.startTask(fork || undefined));
        this.#exits.delete(record.tid);
        this.#last.delete(record.tid);
        tasks.started(record);
        return;
      }
      case 'exec':
        tasks.execed(record);
        return;
      case 'call':
        calls.push({ call: record, event: this.#event(record.tid, this.#causes(record)) });
        this.#noteWrite(record);
        return;
      case 'exit':
        this.#exits.set(record.tid, this.#event(record.tid));
        graph.endTask(this.#taskId(record.tid));
        return;
      case 'signal':
        this.#signalled(record.from, record.to);
        return;
      case 'note':
        return;
    }
  }

  #causes(call: CallRecord): EventId[] {
    const name = syscallName(call.number);
    if (WAITS.has(name) && call.result > 0) {
      const exit = this.#exits.get(call.result as Tid);
      return exit === undefined ? [] : [exit];
    }
    const stream = streamOf(call);
    return stream && READS.has(name) ? (this.#streamWrites.get(stream) ?? []) : [];
  }

  #noteWrite(call: CallRecord): void {
    const stream = streamOf(call);
    const event = this.#last.get(call.tid);
    if (!stream || event === undefined || !WRITES.has(syscallName(call.number))) return;
    const writes = this.#streamWrites.get(stream);
    // One write per task is enough: an earlier one of the same task comes before it anyway.
    const others = (writes ?? []).filter(
      (other) => this.timeline.graph.taskOf(other) !== this.timeline.graph.taskOf(event),
    );
    this.#streamWrites.set(stream, [...others, event]);
  }

  /** `from` is 0 for the kernel, or a process outside the recording. */
  #signalled(from: Tid, to: Tid): void {
    const cause = this.#exits.get(from) ?? this.#last.get(from);
    if (cause === undefined || from === to) return;
    this.#pending.set(to, [...(this.#pending.get(to) ?? []), cause]);
  }

  #event(task: Tid, after: readonly EventId[] = []): EventId {
    const pending = this.#pending.get(task) ?? [];
    this.#pending.delete(task);
    const event = this.timeline.graph.add(this.#taskId(task), [...after, ...pending]);
    this.#last.set(task, event);
    return event;
  }

  #taskId(task: Tid): TaskId {
    let id = this.#tasks.get(task);
    if (id === undefined) {
      id = this.timeline.graph.startTask(undefined);
      this.#tasks.set(task, id);
    }
    return id;
  }
}
