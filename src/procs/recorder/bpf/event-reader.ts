/**
 * Turns an event of layout.ts into records. Nearly always into one; a text event only adds to the
 * call that follows it, and the first exec also tells of the root.
 *
 *   call event, number 257, length 4, path "log\0", file { mode 0o40755, … }
 *   { kind: 'call', number: 257, path: 'log', file: { id: 0, device: 65025, inode: 2, … }, … }
 */
import { assert } from '../../../base/assert.ts';
import { nanoseconds, type Pid, pid, type Tid, tid } from '../../../linux/ids.ts';
import { Signal } from '../../../linux/signals.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { FOREIGN_CALLS_NOTE, INPUT_NOTE, type ProgramInput } from '../program-input.ts';
import { RandomDevices } from '../random-devices.ts';
import { NamespacedPids, numbersOf, ownPidOf } from '../task-numbers.ts';
import { CallReader, fileAt } from './call-reader.ts';
import { i32, sequenceAt, signed64, textAt, u32 } from './event-fields.ts';
import { EventRow } from './event-row.ts';
import { CLONE_VFORK } from './fork-program.ts';
import {
  CallEvent,
  DEEPEST_NAMESPACE,
  EventKind,
  ExecEvent,
  ExitEvent,
  Head,
  InputEvent,
  InputPurpose,
  Phase,
  SignalEvent,
  StartEvent,
} from './layout.ts';

const ROOT_SEQUENCE = 1;
/** A signal comes to a task in a call. */
const BROKEN_OFF: ReadonlySet<number> = new Set([Phase.interrupted, Phase.brokenOff]);
/** What the kernel counts on from: the numbers below were given out here. */
export const FIRST_SEQUENCE = ROOT_SEQUENCE + 1;

export class EventReader {
  readonly #began: number;
  readonly #namespaced = new NamespacedPids();
  readonly #calls: CallReader;
  /** The quick way for calls, which nearly all events are. */
  readonly row: EventRow;
  #input: ProgramInput | undefined;
  readonly random = new RandomDevices();
  /** What processes in a pid namespace call themselves. */
  readonly #ownPids = new Map<Pid, Pid>();
  /** Who is alive after all that was read. */
  readonly living = new Set<Tid>();

  /** `began`: CLOCK_MONOTONIC in nanoseconds, from which all times count. */
  constructor(began: number) {
    this.#began = began;
    this.#calls = new CallReader(began, this.#namespaced);
    this.row = new EventRow(began, this.#namespaced, this.#calls);
  }

  expectInput(input: ProgramInput): void {
    this.#input = input;
  }

  /** A task that may live in a pid namespace and has no start event to say so. */
  learn(task: Tid): void {
    const numbers = numbersOf(task);
    if (!numbers) return;
    this.#namespaced.learn(task, numbers);
    this.#knowOwnPid(numbers.process, ownPidOf(numbers));
  }

  read(event: DataView): readonly TraceRecord[] {
    const kind = u32(event, Head.kind);
    switch (kind) {
      case EventKind.call:
        return [this.#calls.read(event)];
      case EventKind.start:
        return [this.#start(event)];
      case EventKind.exec:
        return this.#exec(event);
      case EventKind.exit:
        return [this.#exit(event)];
      case EventKind.signal:
        return [this.#signal(event)];
      case EventKind.note:
        return [{ kind: 'note', ...this.#stamp(event), text: FOREIGN_CALLS_NOTE }];
      case EventKind.input:
        return this.#inputRead(event);
      case EventKind.inputCut:
        return this.#inputCut(event);
      case EventKind.text:
        this.#calls.sentAhead(event);
        return [];
    }
    assert(false, `the kernel sent an event of kind ${kind}`);
  }

  #start(event: DataView): TraceRecord {
    const stamp = this.#stamp(event);
    this.living.add(stamp.tid);
    const process = pid(u32(event, StartEvent.process));
    const parentTid = tid(u32(event, StartEvent.parent));
    const isThread = (process as number) !== stamp.tid;
    const depth = Math.min(u32(event, StartEvent.depth), DEEPEST_NAMESPACE);
    let ownPid = isThread ? this.#ownPids.get(process) : undefined;
    if (depth > 0) {
      const inside = Array.from({ length: depth }, (_, index) =>
        u32(event, StartEvent.numbers + 4 * index),
      );
      const inNamespaces = [stamp.tid, ...inside];
      this.#namespaced.learn(stamp.tid, { process, inNamespaces });
      if (!isThread) ownPid = pid(inside.at(-1)!);
    }
    if (!isThread) this.#knowOwnPid(process, ownPid);
    const waitsForChild = (u32(event, StartEvent.cloneFlags) & CLONE_VFORK) !== 0;
    const how = isThread ? 'thread' : waitsForChild ? 'vfork' : 'fork';
    return { kind: 'start', ...stamp, pid: process, parentTid, how, ownPid };
  }

  /** Most processes are known to themselves by the same number as to us. */
  #knowOwnPid(process: Pid, ownPid: Pid | undefined): void {
    if (ownPid !== undefined) this.#ownPids.set(process, ownPid);
    else this.#ownPids.delete(process);
  }

  #exec(event: DataView): TraceRecord[] {
    const stamp = this.#stamp(event);
    const commandAt = ExecEvent.texts + u32(event, ExecEvent.pathLength);
    const commandEnd = commandAt + u32(event, ExecEvent.commandLength);
    const path = textAt(event, ExecEvent.texts, Math.max(ExecEvent.texts, commandAt - 1));
    const commandLine = textAt(event, commandAt, commandEnd).replace(/\0$/, '');
    const former = tid(u32(event, ExecEvent.formerTask));
    this.living.delete(former);
    this.living.add(stamp.tid);
    this.#calls.execed(former, stamp.tid, path);
    const exec = { kind: 'exec', ...stamp, path, commandLine } as const;
    return u32(event, ExecEvent.begins) === 1 ? [this.#root(exec), exec] : [exec];
  }

  #root({ tid: task, time }: Pick<TraceRecord & { kind: 'exec' }, 'tid' | 'time'>): TraceRecord {
    const common = { sequence: ROOT_SEQUENCE, time, tid: task, pid: pid(task) };
    const ownPid = this.#ownPids.get(common.pid);
    return { kind: 'start', ...common, parentTid: tid(0), how: 'root', ownPid };
  }

  #exit(event: DataView): TraceRecord {
    const stamp = this.#stamp(event);
    this.living.delete(stamp.tid);
    this.#calls.ended(stamp.tid);
    return { kind: 'exit', ...stamp, status: u32(event, ExitEvent.status) };
  }

  /** The kernel may have given the address of the input, once that was closed, to another file. */
  #inputRead(event: DataView): TraceRecord[] {
    const length = u32(event, InputEvent.length);
    const file = fileAt(event, InputEvent.file);
    const data = textAt(event, InputEvent.bytes, InputEvent.bytes + length);
    const purpose = u32(event, InputEvent.purpose);
    if (file && purpose !== InputPurpose.input) {
      const kind = purpose === InputPurpose.sent ? 'sent' : 'received';
      return [{ kind, ...this.#stamp(event), socket: file.inode, data }];
    }
    // No file at all: they were asked for.
    if (!file || this.random.has(file)) {
      return this.random.take(length) ? [{ kind: 'random', ...this.#stamp(event), data }] : [];
    }
    if (!this.#input?.is(file)) return [];
    if (!this.#input.take(length)) return this.#noteCut(event);
    return [{ kind: 'input', ...this.#stamp(event), data }];
  }

  /** Of other files, nobody needs to know. */
  #inputCut(event: DataView): TraceRecord[] {
    const files = [CallEvent.file, CallEvent.file2].map((at) => fileAt(event, at));
    return files.some((file) => this.#input?.is(file)) ? this.#noteCut(event) : [];
  }

  #noteCut(event: DataView): TraceRecord[] {
    if (!this.#input?.mustNote()) return [];
    return [{ kind: 'note', ...this.#stamp(event), text: INPUT_NOTE }];
  }

  #signal(event: DataView): TraceRecord {
    const { tid: to, sequence, time } = this.#stamp(event);
    const signal = u32(event, SignalEvent.signal);
    const code = i32(event, SignalEvent.code);
    const isFromTask = code <= 0 || signal === Signal.SIGCHLD;
    const sender = isFromTask ? u32(event, SignalEvent.sender) : 0;
    // As its receiver sees it: not our number in a pid namespace.
    const from = tid(sender > 0 ? this.#namespaced.ours(to, sender) : 0);
    const isInCall = BROKEN_OFF.has(u32(event, SignalEvent.phase));
    const phase = isInCall ? 'interrupting' : 'delivered';
    return { kind: 'signal', sequence, time, from, to, signal, phase };
  }

  #stamp(event: DataView) {
    const sequence = sequenceAt(event, Head.stamp);
    const time = nanoseconds(signed64(event, Head.time) - this.#began);
    return { sequence, time, tid: tid(u32(event, Head.task)) };
  }
}
