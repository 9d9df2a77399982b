/**
 * Which steps of a recording need a place in its order. Most do not: a compiler looks for headers in
 * a dozen folders that nobody touches, and reads libraries that nobody writes. Such a step comes out
 * the same whenever it is made. Steps that need a place are those that touch something over which
 * processes race, and those by which processes wait for each other; what follows from these, such as
 * that an object file is linked after it was written, then comes by itself. And the call that a signal came
 * after: what a handler does may depend on it.
 */
import type { Pid, Tid } from '../../linux/ids.ts';
import { syscallName } from '../../linux/syscalls.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { racyLocations } from '../detect/load-store/engine.ts';
import { LOCKING_COMMANDS } from '../detect/order/locks.ts';
import { isStream } from '../detect/order/transfers.ts';
import { isWaker } from '../detect/order/wakers.ts';
import type { Timeline } from '../detect/timeline.ts';
import { isExec } from '../model/call-groups.ts';
import { PARTS } from '../model/operation.ts';
import { ONLY_FOR_ORDER } from '../model/without-model.ts';

const ORDERING: ReadonlySet<string> = new Set(ONLY_FOR_ORDER);

/** The call records that need a place in the order. */
export function significantCalls(timeline: Timeline): ReadonlySet<CallRecord> {
  const { steps } = timeline;
  const significant = new Set<CallRecord>();
  for (const location of racyLocations(timeline, steps, PARTS)) {
    for (const { step } of location) {
      if (step.record.kind === 'call') significant.add(step.record);
    }
  }
  const signals = signalsOf(timeline);
  const lastCalls = new Map<Tid, CallRecord>();
  for (const { record, process } of steps) {
    if (record.kind === 'signal') {
      const last = lastCalls.get(record.to);
      if (last && record.phase === 'delivered') significant.add(last);
    } else if (record.kind === 'call') {
      lastCalls.set(record.tid, record);
      if (isForOrder(record, signals.get(process))) significant.add(record);
    }
  }
  return significant;
}

/** Which signals each process has got. */
function signalsOf({ steps }: Timeline): ReadonlyMap<Pid, ReadonlySet<number>> {
  const signals = new Map<Pid, Set<number>>();
  for (const { record, process } of steps) {
    if (record.kind !== 'signal') continue;
    const known = signals.get(process);
    if (known) known.add(record.signal);
    else signals.set(process, new Set([record.signal]));
  }
  return signals;
}

function isForOrder(call: CallRecord, signals: ReadonlySet<number> | undefined): boolean {
  const name = syscallName(call.number);
  // A shell sets up dozens of handlers, of which most never run.
  if (name === 'rt_sigaction') return signals?.has(call.args[0] ?? 0) ?? false;
  if (name === 'rt_sigprocmask') return signals !== undefined;
  // In its middle, a vforked child lets its parent go on.
  if (isExec(call)) return true;
  // Descriptors of plain files are each process's own; locks are not.
  if (name === 'fcntl') return isStream(call.file) || LOCKING_COMMANDS.has(call.args[1] ?? 0);
  if (name === 'close' || name.startsWith('dup')) return isStream(call.file);
  return ORDERING.has(name) || isStream(call.file) || isStream(call.file2) || isWaker(call);
}

/** The calls of which none is significant: nobody needs to stop there at all. */
export function insignificantNumbers(
  calls: Iterable<CallRecord>,
  significant: ReadonlySet<CallRecord>,
): ReadonlySet<number> {
  const all = new Set<number>();
  const needed = new Set<number>();
  for (const call of calls) (significant.has(call) ? needed : all).add(call.number);
  return new Set([...all].filter((number) => !needed.has(number)));
}
