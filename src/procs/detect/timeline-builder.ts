/** Takes the records of a recording one by one and puts their events into order: see timeline.ts. */
import { assert, unreachable } from '../../base/assert.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import { Signal } from '../../linux/signals.ts';
import { syscallName } from '../../linux/syscalls.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import { HappensBeforeGraph } from '../../order/graph.ts';
import type { EventId } from '../../order/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import type { ExitRecord } from '../../trace/records/exit.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { SignalRecord } from '../../trace/records/signal.ts';
import type { StartRecord } from '../../trace/records/start.ts';
import { exited, forked, reaped } from '../model/families/processes.ts';
import type { Files } from '../model/files.ts';
import { operationsOf } from '../model/model.ts';
import { OpenFiles } from '../model/open-files.ts';
import type { Operation } from '../model/operation.ts';
import { CallOrder, type Entered } from './order/call-order.ts';
import { ChildSignals } from './order/child-signals.ts';
import { ProcessEvents } from './order/process-events.ts';
import { SentSignals } from './order/sent-signals.ts';
import { OwnNumbers } from './own-numbers.ts';
import type { Step } from './step.ts';
import { TaskHistory } from './task-history.ts';

/** Source: <linux/wait.h>. */
const P_ALL = 0;
const P_PGID = 2;

/** A wait that collected a child. */
export interface ChildWait {
  step: Step;
  child: Pid;
  /** It did not say which child it wanted. */
  isWildcard: boolean;
}

export interface Taken {
  /** The oldest first. */
  givers: readonly EventId[];
  /** The bytes were counted: it got some of each of them, unless they overlapped. */
  isExact: boolean;
}

export interface Timeline {
  graph: HappensBeforeGraph;
  /** Each at the number of its event. */
  steps: Step[];
  /** Those of them that put something into a stream, or took something from one. */
  transfers: Step[];
  tasks: TaskHistory;
  waits: ChildWait[];
  /** For each step that took something, those that had given it, and the other way round. */
  took: ReadonlyMap<EventId, Taken>;
  takenBy: ReadonlyMap<EventId, EventId>;
  /** For each arrival of a signal from another process, the call that sent it. */
  sentBy: ReadonlyMap<EventId, EventId>;
}

export class TimelineBuilder {
  readonly #took = new Map<EventId, Taken>();
  readonly #takenBy = new Map<EventId, EventId>();
  readonly #sentBy = new Map<EventId, EventId>();
  readonly timeline: Timeline = {
    graph: new HappensBeforeGraph(),
    steps: [],
    transfers: [],
    tasks: new TaskHistory(),
    waits: [],
    took: this.#took,
    takenBy: this.#takenBy,
    sentBy: this.#sentBy,
  };
  readonly #processes = new ProcessEvents(this.timeline.graph);
  readonly #order: CallOrder;
  readonly #childSignals = new ChildSignals();
  readonly #numbers = new OwnNumbers();
  readonly #signals = new SentSignals();
  readonly #openFiles = new OpenFiles();
  readonly #files: Files;

  /** `trustsWaits`: see order/call-order.ts. */
  constructor(files: Files, trustsWaits: boolean) {
    this.#files = files;
    this.#order = new CallOrder(this.timeline.graph, this.#processes, trustsWaits);
  }

  /** Whether it makes a difference to trust waits. */
  get hasIncidentalWaits(): boolean {
    return this.#order.incidentalWaits > 0;
  }

  add(record: TraceRecord): void {
    const { tasks } = this.timeline;
    switch (record.kind) {
      case 'start':
        tasks.started(record);
        return this.#start(record);
      case 'exec':
        tasks.execed(record);
        return this.#processes.endVfork(this.#processOf(record.tid, record.sequence));
      case 'call':
        return this.#call(record);
      case 'exit':
        return this.#exit(record);
      case 'signal':
        return this.#signal(record);
      case 'input':
      case 'random':
      case 'received':
      case 'sent':
      case 'note':
        return;
    }
    unreachable(record, 'record');
  }

  #start(record: StartRecord): void {
    const { pid, parentTid, how, sequence } = record;
    if (how === 'thread') return this.#processes.startThread(pid);
    this.#numbers.started(record);
    this.#signals.started(pid);
    const parent = parentTid ? this.#processOf(parentTid, sequence) : undefined;
    const event = this.#processes.start(pid, parent, how === 'vfork');
    this.#files.forked(parent, pid);
    this.#order.descriptors.forked(parent, pid);
    if (event === undefined || parent === undefined || !parentTid) return;
    this.#push({ record, task: parentTid, process: parent, event, operations: forked() });
  }

  #call(call: CallRecord): void {
    const process = this.#processOf(call.tid, call.entry);
    // A thread that was born while its process was being killed: what it did, nobody waits for.
    if (this.#processes.hasEnded(process)) return;
    const name = syscallName(call.number);
    const entered = this.#order.enter(call, name, process);
    const ends = this.#childSignals.causesOf(call, name, process);
    const event = this.#processes.add(process, [...entered.causes, ...ends]);
    if (name === 'getppid') this.#processes.learn(process, this.#adoptedAfter(call, process));
    const names = this.#files.of(call, process);
    const { takesFrom, sendsInto, address } = entered;
    this.#openFiles.note(call);
    const openFile = call.file && this.#openFiles.of(call.file);
    // Written out: spreading objects of different shapes is what would take the most time here.
    const { name: path, name2, target, target2, replaces } = names;
    const modelled = operationsOf(
      {
        call,
        process,
        openFile,
        takesFrom,
        sendsInto,
        address,
        name: path,
        name2,
        target,
        target2,
        replaces,
      },
      this.#numbers,
    );
    const own = this.#files.withLaterNames(modelled);
    const operations = call.reaped ? [...own, ...reaped(call.reaped, this.#numbers)] : own;
    const step = { record: call, task: call.tid, process, event, operations, name: path, name2 };
    this.#push(step);
    if (sendsInto || takesFrom) this.timeline.transfers.push(step);
    this.#signals.note(call, name, process, this.#numbers, event);
    this.#remember(step, call, name, entered);
    this.#order.leave(call, name, process, event, path, operations, entered);
  }

  #remember(step: Step, call: CallRecord, name: string, { taken, isExact }: Entered): void {
    if (taken.length > 0) this.#took.set(step.event, { givers: taken, isExact });
    for (const given of taken) {
      if (!this.#takenBy.has(given)) this.#takenBy.set(given, step.event);
    }
    if (call.reaped) {
      const isWildcard = waitsForAnyone(name, call.args);
      this.timeline.waits.push({ step, child: call.reaped, isWildcard });
    }
  }

  #exit(record: ExitRecord): void {
    const process = this.#processOf(record.tid, record.sequence);
    const causes = isKilled(record) ? this.#signals.killing(process) : [];
    const ended = this.#processes.endThread(process, causes);
    if (!ended) return;
    const { event, isLast } = ended;
    const operations = isLast ? this.#ending(process) : [];
    this.#push({ record, task: record.tid, process, event, operations });
    if (isLast) this.#order.exited(process, record.sequence, event);
  }

  #ending(process: Pid): Operation[] {
    const children = this.#processes.childrenOf(process);
    const ancestors = () => this.#processes.ancestorsOf(process);
    return exited(process, children, ancestors, this.#numbers);
  }

  #signal(record: SignalRecord): void {
    const to = this.#processOf(record.to, record.sequence);
    if (record.phase === 'sent' || this.#processes.hasEnded(to)) return;
    const from = this.#processOf(record.from, record.sequence);
    const sent = from === to ? undefined : this.#signals.sending(from, to, record.signal);
    // The kernel may speak for a process, as when a child ends: what that did last, then.
    const causes = sent !== undefined ? [sent] : from === to ? [] : this.#processes.lastOf(from);
    const isOfChild = record.signal === Signal.SIGCHLD && this.#processes.hasEnded(from);
    if (isOfChild) this.#childSignals.arrive(to, record.sequence, causes);
    const event = this.#processes.add(to, isOfChild ? [] : causes);
    if (sent !== undefined) this.#sentBy.set(event, sent);
    this.#push({ record, task: record.to, process: to, event, operations: [] });
  }

  /** An answer that is not its first parent's number says that this one has ended. */
  #adoptedAfter({ result }: CallRecord, process: Pid): readonly EventId[] {
    const parent = this.#processes.parentOf(process);
    if (parent === undefined || result === this.#numbers.numberOf(parent)) return [];
    return this.#processes.exitOf(parent);
  }

  /** Every event of the graph has its step, at its own number. */
  #push(step: Step): void {
    assert(step.event === this.timeline.steps.length, 'an event without a step');
    this.timeline.steps.push(step);
  }

  #processOf(task: Tid, sequence: number): Pid {
    return this.timeline.tasks.lifeAt(task, sequence)?.pid ?? (task as number as Pid);
  }
}

function isKilled({ status }: ExitRecord): boolean {
  const end = parseWaitStatus(status);
  return end.kind === 'killed' && end.signal === Signal.SIGKILL;
}

function waitsForAnyone(name: string, args: readonly number[]): boolean {
  const first = (args[0] ?? 0) | 0;
  return name === 'wait4' ? first <= 0 : first === P_ALL || first === P_PGID;
}
