/**
 * Turns a recording into events with an order between them: the happens-before graph, and for
 * each recorded call its event in it.
 *
 * Known order: program order, fork to child, vfork's child to its waiting parent, exit to wait,
 * signal to its delivery, streams (streams.ts), file locks (locks.ts). A process counts as one task whose events come in
 * the order in which they were seen: how its threads synchronise is not recorded, so that two
 * threads of one process never race here.
 *
 * A recorder learns of a call when it ends; a write into a pipe may end after the read that got
 * its bytes. Writes into streams therefore take their place by their entry, all else by its end.
 */
import { unreachable } from '../../base/assert.ts';
import { errnoNumber } from '../../linux/errno.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId } from '../../order/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import { type CallNames, FileNames } from '../model/file-names.ts';
import { Locks } from './locks.ts';
import { ProcessEvents } from './process-events.ts';
import { Streams, writesIntoStream } from './streams.ts';
import { TaskHistory } from './task-history.ts';

export interface CallEvent extends CallNames {
  call: CallRecord;
  event: EventId;
}

export interface Timeline {
  graph: HappensBeforeGraph;
  calls: CallEvent[];
  tasks: TaskHistory;
}

const WAITS = new Set(['wait4', 'waitid']);
const ECHILD = errnoNumber('ECHILD') ?? 0;

/** `folder` is where the recorded command was started; `folders` as in run.json. */
export function buildTimeline(
  records: readonly TraceRecord[],
  folder: string,
  folders?: Readonly<Record<string, string>>,
): Timeline {
  const builder = new TimelineBuilder(new FileNames(folder, folders));
  for (const record of [...records].sort((a, b) => place(a) - place(b))) builder.add(record);
  return builder.timeline;
}

function place(record: TraceRecord): number {
  if (record.kind !== 'call') return record.sequence;
  return writesIntoStream(record) ? record.entry : record.exit;
}

class TimelineBuilder {
  readonly timeline: Timeline = {
    graph: new HappensBeforeGraph(),
    calls: [],
    tasks: new TaskHistory(),
  };
  readonly #streams = new Streams(this.timeline.graph);
  readonly #processes = new ProcessEvents(this.timeline.graph);
  readonly #locks = new Locks();
  readonly #names: FileNames;

  constructor(names: FileNames) {
    this.#names = names;
  }

  add(record: TraceRecord): void {
    const { tasks, calls } = this.timeline;
    switch (record.kind) {
      case 'start':
        tasks.started(record);
        return this.#start(record);
      case 'exec':
        tasks.execed(record);
        return this.#processes.endVfork(this.#processOf(record.tid, record.sequence));
      case 'call': {
        const process = this.#processOf(record.tid, record.entry);
        const event = this.#processes.add(process, this.#causesOf(record, process));
        calls.push({ call: record, event, ...this.#names.of(record, process) });
        return this.#streams.note(record, event);
      }
      case 'exit':
        return this.#processes.endThread(this.#processOf(record.tid, record.sequence));
      case 'signal': {
        const [from, to] = [record.from, record.to].map((task) =>
          this.#processOf(task, record.sequence),
        );
        return this.#processes.signal(from!, to!);
      }
      case 'note':
        return;
    }
    unreachable(record, 'record');
  }

  #start({ pid, parentTid, how, sequence }: StartRecord): void {
    if (how === 'thread') return this.#processes.startThread(pid);
    const parent = parentTid ? this.#processOf(parentTid, sequence) : undefined;
    this.#processes.start(pid, parent, how === 'vfork');
    this.#names.forked(parent, pid);
  }

  #causesOf(call: CallRecord, process: Pid): readonly EventId[] {
    if (!WAITS.has(syscallName(call.number))) {
      const holders = this.#locks.takenBy(call, process, this.#processes.parentOf(process));
      return [
        ...this.#streams.causesOf(call),
        ...holders.flatMap((one) => this.#processes.lastOf(one)),
      ];
    }
    // No child left: with SIGCHLD ignored, that is how one learns that all of them have ended.
    if (call.result === -ECHILD) return this.#processes.exitsOfChildren(process);
    return call.reaped ? this.#processes.exitOf(call.reaped) : [];
  }

  #processOf(task: Tid, sequence: number): Pid {
    return this.timeline.tasks.lifeAt(task, sequence)?.pid ?? (task as number as Pid);
  }
}
