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
import { named, type Operation, type Thing } from '../../model/operation.ts';
import { Connections, socketKey } from './connections.ts';
import { Descriptors } from './descriptors.ts';
import { Handovers } from './handovers.ts';
import { Locks } from './locks.ts';
import { Meetings } from './meetings.ts';
import type { ProcessEvents } from './process-events.ts';
import { Readiness } from './readiness.ts';
import { Streams } from './streams.ts';
import { Watches } from './watches.ts';

export interface Entered {
  causes: EventId[];
  /** What it takes, from whom, and where it puts something for others to take. */
  takesFrom?: Thing | undefined;
  taken: readonly EventId[];
  sendsInto?: Thing | undefined;
  address?: string | undefined;
}

const ECHILD = errnoNumber('ECHILD') ?? 0;
const NOTHING: readonly EventId[] = [];

export class CallOrder {
  readonly #processes: ProcessEvents;
  readonly #connections = new Connections();
  readonly descriptors = new Descriptors();
  readonly #streams: Streams;
  readonly #handovers: Handovers;
  readonly #readiness: Readiness;
  readonly #locks = new Locks();
  readonly #watches = new Watches();
  readonly #meetings = new Meetings();

  constructor(graph: HappensBeforeGraph, processes: ProcessEvents) {
    this.#processes = processes;
    this.#streams = new Streams(graph, this.#connections, this.descriptors);
    this.#handovers = new Handovers(graph);
    this.#readiness = new Readiness(this.#streams, this.descriptors);
  }

  enter(call: CallRecord, name: string, process: Pid): Entered {
    if (name === 'wait4' || name === 'waitid') {
      return { causes: this.#waitedFor(call, process), taken: NOTHING };
    }
    const flow = this.#streams.flowOf(call, name);
    const exchange = this.#handovers.exchangeOf(call, name);
    const fromStream = this.#streams.causesOf(call, name, flow);
    const handedOver = this.#handovers.causesOf(call, exchange);
    const connected = this.#connections.causesOf(call, name);
    const holders = this.#locks.takenBy(call, process, this.#processes.parentOf(process));
    const causes = [
      ...fromStream,
      ...handedOver,
      ...connected,
      ...this.#readiness.causesOf(call, name, process),
      ...this.#meetings.causesOf(call, name),
      ...holders.flatMap((holder) => this.#processes.lastOf(holder)),
    ];
    const address = this.#connections.addressOf(call, name);
    const isAccept = name === 'accept' || name === 'accept4';
    const door = isAccept || name === 'connect' ? doorOf(call, address) : undefined;
    return {
      causes,
      takesFrom: isAccept ? door : (contested(flow.from) ?? queue(exchange.gets)),
      taken: isAccept ? connected : flow.from ? fromStream : handedOver,
      sendsInto: name === 'connect' ? door : (contested(flow.into) ?? queue(exchange.gives)),
      address,
    };
  }

  leave(
    call: CallRecord,
    name: string,
    process: Pid,
    event: EventId,
    path: string | undefined,
    operations: readonly Operation[],
  ): void {
    if (name === 'pipe' || name === 'pipe2') this.#streams.forget(call.file);
    this.#processes.learn(process, this.#connections.learnedFrom(call, name));
    this.#connections.note(call, name, event);
    for (const other of this.#meetings.note(call, name, process, event)) {
      this.#processes.learn(other, [event]);
    }
    this.descriptors.note(call, name, process, event);
    this.#streams.note(call, name, event);
    this.#handovers.note(call, name, this.#handovers.exchangeOf(call, name), event);
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

  #waitedFor({ result, reaped }: CallRecord, process: Pid): EventId[] {
    /*
     * A wait that does not block (WNOHANG) and finds a child ended may only have looked in passing;
     * but what its process does next may well hang on it, so it counts as order too.
     */
    // No child left: with SIGCHLD ignored, that is how one learns that all of them have ended.
    if (result === -ECHILD) return this.#processes.exitsOfChildren(process);
    return reaped ? this.#processes.exitOf(reaped) : [];
  }
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
