/**
 * What a system call comes after, besides its own process's last step: all the ways in which calls
 * put each other in order, brought together. First `enter` tells the causes of a call; when it has
 * its event, `leave` remembers what others will come after.
 */
import { errnoNumber } from '../../../linux/errno.ts';
import type { Pid } from '../../../linux/ids.ts';
import type { HappensBeforeGraph } from '../../../order/graph.ts';
import type { EventId } from '../../../order/ids.ts';
import type { CallRecord } from '../../../trace/records/call.ts';
import { looksForChildren } from '../../model/call-groups.ts';
import { named, type Operation, type Thing } from '../../model/operation.ts';
import { hasOpened, recordedCall } from '../../model/recorded-calls.ts';
import { Connections, socketKey } from './connections.ts';
import { Descriptors } from './descriptors.ts';
import { type Exchange, Handovers } from './handovers.ts';
import { Locks } from './locks.ts';
import { Meetings } from './meetings.ts';
import type { ProcessEvents } from './process-events.ts';
import { Readiness } from './readiness.ts';
import { type Flow, Streams } from './streams.ts';
import { Watches } from './watches.ts';

export interface Entered {
  causes: readonly EventId[];
  /** What it takes, from whom, and where it puts something for others to take. */
  takesFrom?: Thing | undefined;
  taken: readonly EventId[];
  /** The bytes that it took were counted. */
  isExact: boolean;
  sendsInto?: Thing | undefined;
  address?: string | undefined;
  flow?: Flow | undefined;
  exchange?: Exchange | undefined;
}

/** Source: <linux/wait.h>. */
const P_ALL = 0;
const P_PGID = 2;

const ECHILD = errnoNumber('ECHILD') ?? 0;
const NOTHING: readonly EventId[] = [];
const BY_PATH = /^(open|openat2?|creat)$/;

export class CallOrder {
  readonly #processes: ProcessEvents;
  readonly #connections = new Connections();
  readonly descriptors: Descriptors;
  readonly #streams: Streams;
  readonly #handovers: Handovers;
  readonly #readiness: Readiness;
  readonly #locks: Locks;
  readonly #watches = new Watches();
  readonly #meetings = new Meetings();

  /** How many waits have perhaps only met a child in passing. */
  incidentalWaits = 0;
  readonly #trustsWaits: boolean;

  /** `trustsWaits`: whether these count as order, too. */
  constructor(graph: HappensBeforeGraph, processes: ProcessEvents, trustsWaits: boolean) {
    this.#trustsWaits = trustsWaits;
    this.#processes = processes;
    this.descriptors = new Descriptors(graph);
    this.#streams = new Streams(graph, this.#connections, this.descriptors);
    this.#handovers = new Handovers(graph);
    this.#readiness = new Readiness(this.#streams, this.descriptors);
    this.#locks = new Locks(processes);
  }

  enter(call: CallRecord, name: string, process: Pid): Entered {
    if (name === 'wait4' || name === 'waitid') {
      return { causes: this.#waitedFor(call, name, process), taken: NOTHING, isExact: false };
    }
    const task = this.#processes.taskOf(process);
    const flow = this.#streams.flowOf(call, name);
    const exchange = this.#handovers.exchangeOf(call, name);
    const connected = this.#connections.causesOf(call, name);
    const fromStream = flow ? this.#streams.causesOf(call, flow, task) : NOTHING;
    const handedOver = this.#handovers.causesOf(call, exchange, task);
    const causes = joined(
      fromStream,
      handedOver,
      connected,
      this.#readiness.causesOf(call, name, process, task),
      this.#meetings.causesOf(call, name),
      this.#locks.causesOf(call, name, process, this.#processes.parentOf(process)),
    );
    const address = this.#connections.addressOf(call, name);
    const isAccept = name === 'accept' || name === 'accept4';
    const door = isAccept || name === 'connect' ? doorOf(call, address) : undefined;
    const fromLast = flow && fromStream.length === 0 ? this.#streams.lastWrite(flow) : fromStream;
    return {
      causes,
      takesFrom: isAccept ? door : (contested(flow?.from) ?? queue(exchange.gets)),
      taken: isAccept ? connected : flow?.from ? fromLast : handedOver,
      isExact: flow !== undefined && this.#streams.isCounted(flow),
      sendsInto: name === 'connect' ? door : (contested(flow?.into) ?? queue(exchange.gives)),
      address,
      flow,
      exchange,
    };
  }

  leave(
    call: CallRecord,
    name: string,
    process: Pid,
    event: EventId,
    path: string | undefined,
    operations: readonly Operation[],
    { flow, exchange }: Entered,
  ): void {
    this.#created(call, name);
    this.#processes.learn(process, this.#connections.learnedFrom(call, name));
    this.#connections.note(call, name, event);
    for (const other of this.#meetings.note(call, name, process, event)) {
      this.#processes.learn(other, [event]);
    }
    this.descriptors.note(call, name, process, event);
    if (flow) this.#streams.note(call, flow, event);
    if (exchange) this.#handovers.note(call, name, exchange, event);
    this.#readiness.note(call, name);
    this.#watches.note(call, name, path);
    for (const stream of this.#watches.toldOf(operations)) {
      this.#streams.write(stream, call, event, false);
    }
    if (call.result === 0 && (name === 'execve' || name === 'execveat')) {
      this.descriptors.execed(process, event);
    }
  }

  exited(process: Pid, sequence: number, event: EventId): void {
    this.descriptors.exited(process, event);
    this.#handovers.exited(sequence, event);
  }

  /** What is new has nothing to do with what had its number before. */
  #created(call: CallRecord, name: string): void {
    const shape = recordedCall(call.number);
    const { file, file2, result } = call;
    if (!shape || result < 0) return;
    if (shape.pair) {
      for (const end of [file, file2]) if (end) this.#streams.created(end);
    } else if (file2 && hasOpened(shape, call) && !shape.duplicates) {
      if (BY_PATH.test(name)) return this.#streams.opened(file2);
      for (const part of [this.#streams, this.#handovers, this.#readiness, this.#watches]) {
        part.created(file2);
      }
    }
  }

  #metInPassing(call: CallRecord, process: Pid, child: Pid): boolean {
    return looksForChildren(call) || !this.#processes.isNewest(process, child);
  }

  #waitedFor(call: CallRecord, name: string, process: Pid): readonly EventId[] {
    const { result, reaped, args } = call;
    if (reaped) {
      const isIncidental = mayBeIncidental(call, name) && this.#metInPassing(call, process, reaped);
      const end = this.#processes.collected(process, reaped);
      this.incidentalWaits += Number(isIncidental);
      return isIncidental && !this.#trustsWaits ? NOTHING : end;
    }
    // No child left: with SIGCHLD ignored, that is how one learns that all of them have ended.
    if (result !== -ECHILD) return NOTHING;
    const which = (args[0] ?? 0) | 0;
    if (name === 'wait4' && which > 0) return this.#processes.foundGone(process, which as Pid);
    return this.#processes.foundAllGone(process);
  }
}

/**
 * A wait that does not block may only have looked in passing, and one for any child may have met
 * another than the one that it was made for. What its process does next may still hang on it.
 */
function mayBeIncidental({ args }: CallRecord, name: string): boolean {
  const first = (args[0] ?? 0) | 0;
  return name === 'wait4' ? first <= 0 : first === P_ALL || first === P_PGID;
}

function joined(...lists: readonly (readonly EventId[])[]): readonly EventId[] {
  const some = lists.filter((list) => list.length > 0);
  return some.length > 1 ? some.flat() : (some[0] ?? NOTHING);
}

/** A server whose address is not known is told from others by its socket. */
function doorOf({ file }: CallRecord, address: string | undefined): Thing | undefined {
  const where = address ?? (file && socketKey(file));
  return where === undefined ? undefined : named(`connections to ${where}`);
}

/** Streams that are known by themselves; those that stand for many, or only count, are not fought over. */
function contested(stream: Thing | undefined): Thing | undefined {
  return stream && /^(pipe|socket|device) /.test(stream.key) ? stream : undefined;
}

const queue = (key: string | undefined): Thing | undefined =>
  key?.startsWith('message queue') ? named(key) : undefined;
