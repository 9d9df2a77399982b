/**
 * From a witness to what each thread is to do, in terms of the agent: the order in which the program is run
 * again, so that the two racing threads come to stand before their accesses.
 *
 *   witness  T1 wait-begin(c)  T1 release(m)  T2 acquire(m)  T2 signal(c)  T2 release(m)  T1 acquire(m)
 *   steps    1 WAIT_BEGIN c, m                2 ACQUIRE m    2 SIGNAL c    2 RELEASE m    1 WAIT_END c, m
 *
 * A wait is two operations of the agent and four events. A witness names no events that nobody waits for
 * (a lock that its holder takes again); a thread comes by those all the same, so they become steps, too,
 * right before the thread's next one, or before its end is joined. Detaching and memory pass freely.
 *
 * Limits: only threads of the first process are held back.
 */
import type { AgentSchedule } from '../../linux/agent-schedule.ts';
import { Op } from '../model/op.ts';
import type { ThreadTrace } from '../model/trace.ts';
import { withLapsedWaits } from './lapsed-waits.ts';
import { isStep, type ScheduleStep, StepMaker } from './step-maker.ts';

/** What a schedule needs of a `RaceWitness`. */
export interface WitnessOrder {
  /** Events of the trace before this one come first, as recorded. */
  readonly recordedUntil: number;
  readonly steps: readonly { readonly event: number }[];
  readonly racing: readonly [{ readonly event: number }, { readonly event: number }];
}

/** Where a racing thread is to come to a stand. */
export interface ScheduledSide {
  /** The access. */
  readonly event: number;
  /** The agent's number; undefined if it is in another process than the first, and cannot be held back. */
  readonly thread: number | undefined;
  /** How many steps it has made when it stands there, ATOMIC ones not counted: all it has. */
  readonly steps: number;
}

export interface Schedule extends AgentSchedule {
  readonly steps: readonly ScheduleStep[];
  readonly sides: readonly [ScheduledSide, ScheduledSide];
  /** By number of an object: its row in the table of locks. */
  readonly locks: readonly number[];
}

export function scheduleOf(trace: ThreadTrace, witness: WitnessOrder): Schedule {
  const threads = numberedThreads(trace);
  const steps = new StepMaker(trace, threads);
  for (const event of eventsInOrder(trace, witness)) steps.take(event);
  const side = ({ event }: { readonly event: number }): ScheduledSide => {
    const row = trace.threadAt(event);
    const thread = row < threads ? row + 1 : undefined;
    return { event, thread, steps: steps.countOf(thread) };
  };
  const sides = [side(witness.racing[0]), side(witness.racing[1])] as const;
  const racing = sides.map(({ thread }) => thread).filter((thread) => thread !== undefined);
  return {
    ...{ process: 1, threads, objects: steps.locks.length, racing, sides, locks: steps.locks },
    steps: withLapsedWaits(steps.made),
  };
}

/** Those of the first process: the first so many rows. */
function numberedThreads({ tables }: ThreadTrace): number {
  const { threads } = tables;
  let count = 0;
  while (count < threads.count && threads.cell(count, 'process') === threads.cell(0, 'process')) {
    count++;
  }
  return count;
}

/** All that is to be done, including what the witness does not name. */
function eventsInOrder(trace: ThreadTrace, witness: WitnessOrder): number[] {
  const { recordedUntil, steps, racing } = witness;
  const end = [...steps, ...racing].reduce((last, { event }) => Math.max(last, event + 1), 0);
  const own = eventsByThread(trace, Math.max(recordedUntil, end));
  const done = new Map<number, number>();
  const order: number[] = [];
  const doUntil = (thread: number, end: number): void => {
    const events = own.get(thread) ?? [];
    let next = done.get(thread) ?? 0;
    while (next < events.length && events[next]! < end) order.push(events[next++]!);
    done.set(thread, next);
  };
  const take = (event: number): void => {
    if (trace.opAt(event) === Op.join) doUntil(trace.targetAt(event), event);
    doUntil(trace.threadAt(event), event + 1);
  };
  for (let event = 0; event < recordedUntil; event++) take(event);
  for (const { event } of steps) take(event);
  for (const { event } of racing) doUntil(trace.threadAt(event), event);
  return order;
}

function eventsByThread(trace: ThreadTrace, end: number): Map<number, number[]> {
  const own = new Map<number, number[]>();
  for (let event = 0; event < end; event++) {
    if (!isStep(trace.opAt(event))) continue;
    const thread = trace.threadAt(event);
    const events = own.get(thread);
    if (events === undefined) own.set(thread, [event]);
    else events.push(event);
  }
  return own;
}
