/**
 * What a thread of a trace does, as far as it makes others wait or waits for others. A trace's events
 * become steps; some events are none (an end that nobody joins, a lock that its holder takes again), and
 * some steps are no events (a thread without `begin` begins too).
 *
 *   T1  wait-begin(c) release(m)                    acquire(m) wait-end(c)
 *       waitBegin c   unlock m       woken c        lock m     waitEnd c
 *
 * docs/prediction.md tells what each of them waits for; `search/machine.ts` and `processes.ts` say the
 * same, as a table and as processes.
 */
import type { EventNumber } from '../race-search.ts';

export type StepKind =
  | 'fork'
  | 'begin'
  | 'end'
  | 'join'
  | 'lock'
  | 'unlock'
  | 'lockShared'
  | 'unlockShared'
  | 'waitBegin'
  /** By a signal or a broadcast. */
  | 'woken'
  /** The wait ended without either: by its time limit, for instance. */
  | 'lapsed'
  | 'waitEnd'
  | 'signal'
  | 'broadcast'
  | 'post'
  | 'waitDone'
  | 'arrive'
  | 'leave'
  | 'onceBegin'
  | 'onceEnd'
  | 'oncePass'
  | 'load'
  | 'store'
  | 'update';

export interface Step {
  kind: StepKind;
  readonly thread: number;
  /** A lock, a thread or a variable, as in the trace. */
  readonly object: number;
  /**
   * Of a load or an update: the store that it finds, 0 for none. Of arrive and leave: how many must have
   * arrived. Of oncePass: how often it must have been done. Of woken: where the signal is in the trace.
   */
  need: number;
  /** Of a store or an update: its number, from 1. */
  readonly make: number;
  /** NONE if the trace has no event for it, or not one for synchronisation. */
  readonly event: EventNumber;
  /** Where it is in the trace; between two events if it is none. */
  readonly at: number;
}

/** Things of different families may have the same number. */
export type Family =
  | 'fork'
  | 'join'
  | 'lock'
  | 'condition'
  | 'semaphore'
  | 'barrier'
  | 'once'
  | 'variable';

export const familyOf: Readonly<Record<StepKind, Family>> = {
  fork: 'fork',
  begin: 'fork',
  end: 'join',
  join: 'join',
  lock: 'lock',
  unlock: 'lock',
  lockShared: 'lock',
  unlockShared: 'lock',
  waitBegin: 'condition',
  woken: 'condition',
  lapsed: 'condition',
  waitEnd: 'condition',
  signal: 'condition',
  broadcast: 'condition',
  post: 'semaphore',
  waitDone: 'semaphore',
  arrive: 'barrier',
  leave: 'barrier',
  onceBegin: 'once',
  onceEnd: 'once',
  oncePass: 'once',
  load: 'variable',
  store: 'variable',
  update: 'variable',
};
