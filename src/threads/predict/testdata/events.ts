/** Small traces as lists, for versions of the detectors that are slow and plain. */
import { isStore, NONE, Op, opNames } from '../../model/op.ts';
import { ThreadTrace } from '../../model/trace.ts';
import { classOfOp, doConflict } from '../access-class.ts';

export interface Event {
  readonly thread: number;
  readonly op: Op;
  readonly target: number;
}

export function eventsOf(trace: ThreadTrace): Event[] {
  return Array.from({ length: trace.length }, (_, i) => ({
    thread: trace.threadAt(i),
    op: trace.opAt(i) as Op,
    target: trace.targetAt(i),
  }));
}

/** A trace in which each event is at a site of its own, with its own number, so that nothing is folded. */
export function unfolded(trace: ThreadTrace): ThreadTrace {
  const own = new ThreadTrace(trace.tables);
  const { sites } = trace.tables;
  while (sites.count < trace.length) {
    sites.add({ module: NONE, address: sites.count, function: '', file: '', line: 0 });
  }
  for (const [i, { thread, op, target }] of eventsOf(trace).entries()) {
    own.append(thread, op, target, i);
  }
  return own;
}

/** `'1 write 0'`: thread 1 writes variable 0. The site is the event's number. */
export function traceOf(...lines: readonly string[]): ThreadTrace {
  const trace = new ThreadTrace();
  for (const [i, line] of lines.entries()) {
    const [thread, name, target] = line.split(' ');
    trace.append(Number(thread), opNames.indexOf(name!), Number(target), i);
  }
  return trace;
}

/** Whether two events are conflicting accesses of different threads. */
export function areRivals(one: Event, other: Event): boolean {
  if (one.op > Op.atomicUpdate || other.op > Op.atomicUpdate) return false;
  if (one.thread === other.thread || one.target !== other.target) return false;
  return doConflict(classOfOp[one.op]!, classOfOp[other.op]!);
}

/** The place of the store that a read finds, -1 if there is none. */
export function sourceOf(events: readonly Event[], read: number): number {
  const isSource = ({ op, target }: Event): boolean =>
    isStore(op) && target === events[read]!.target;
  return events.slice(0, read).findLastIndex(isSource);
}
